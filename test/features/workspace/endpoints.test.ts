import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { createGitWorkspaces } from '../../../src/features/workspace/index.ts';
import { startApiOverRows, type ApiOverRows } from '../../support/api-over-rows.ts';
import { LONG_TIMEOUTS } from '../../support/timeouts.ts';

// oxlint-disable-next-line typescript/no-explicit-any -- bodies are whatever the server sent; tests look into them
type Json = any;

interface Answer {
  status: number;
  body: Json;
  etag: string | null;
}

describe('workspace: endpoints', () => {
  let api: ApiOverRows;
  before(async () => {
    api = await startApiOverRows({ CASEBOOK_RATE_LIMIT: 'off' });
  });
  after(() => api?.stop());

  const call = async (
    method: string,
    path: string,
    { body, headers = {}, key = api.apiKey }: { body?: unknown; headers?: Record<string, string>; key?: string } = {},
  ): Promise<Answer> => {
    const response = await fetch(`${api.url}/api/workspace/${path}`, {
      method,
      headers: { 'x-api-key': key, ...(body !== undefined && { 'content-type': 'application/json' }), ...headers },
      body: body === undefined ? undefined : JSON.stringify(body),
    });
    return { status: response.status, body: await response.json(), etag: response.headers.get('etag') };
  };
  const fileAt = (path: string, more: Record<string, string> = {}): string =>
    `file?${new URLSearchParams({ path, ...more }).toString()}`;
  const get = (path: string, more?: Record<string, string>) => call('GET', fileAt(path, more));
  const put = (path: string, content: string, headers?: Record<string, string>) =>
    call('PUT', fileAt(path), { body: { content }, headers });
  const patch = (path: string, body: object, headers?: Record<string, string>) =>
    call('PATCH', fileAt(path), { body, headers });
  const contentOf = async (path: string): Promise<string> => (await get(path)).body.content;
  const workspace = () =>
    createGitWorkspaces({ directory: join(api.home, 'workspaces'), gitTimeoutMs: LONG_TIMEOUTS.gitMs }).forTeam(
      api.teamId,
    );

  describe('tree and file', () => {
    it('list one level, and read whole lines from an offset', async () => {
      await put('docs/a.md', 'one\ntwo\nthree\n');
      await put('docs/deep/b.md', 'b');
      const { body } = await call('GET', 'tree?path=docs');
      assert.deepEqual(body.entries, [
        { path: 'docs/a.md', name: 'a.md', type: 'file', size: 14, read_only: false },
        { path: 'docs/deep', name: 'deep', type: 'directory', size: null, read_only: false },
      ]);
      assert.equal(body.path, 'docs');
      assert.equal((await call('GET', 'tree')).body.path, '.');
      const whole = await get('docs/a.md');
      assert.equal(whole.etag, `"${whole.body.id}"`);
      assert.deepEqual(
        [whole.body.content, whole.body.total_lines, whole.body.truncated],
        ['one\ntwo\nthree\n', 3, false],
      );
      const part = (await get('docs/a.md', { offset: '1', limit: '1' })).body;
      assert.deepEqual([part.content, part.lines, part.total_lines, part.truncated], ['two\n', 1, 3, true]);
      assert.equal(part.id, whole.body.id);
      const beyond = (await get('docs/a.md', { offset: '7' })).body;
      assert.deepEqual([beyond.content, beyond.lines, beyond.truncated], ['', 0, false]);
    });

    it('answer what is not there, or not a file, in words', async () => {
      assert.equal((await get('nowhere')).status, 404);
      assert.equal((await call('GET', 'tree?path=nowhere')).status, 404);
      assert.deepEqual([(await get('docs')).status, (await get('docs')).body.code], [409, 'not_a_file']);
      const tree = await call('GET', 'tree?path=docs/a.md');
      assert.deepEqual([tree.status, tree.body.code], [409, 'not_a_directory']);
      assert.equal((await get('docs/a.md', { at: 'f'.repeat(40) })).status, 404);
      assert.equal((await get('docs/a.md', { at: '--help' })).status, 422);
      assert.equal((await get('docs/a.md', { offset: '-1' })).status, 422);
    });

    it('bound what one response has of a large file', async () => {
      const line = `${'x'.repeat(99)}\n`;
      const { commit } = await workspace()
        .commit({
          base: await workspace().head(),
          changes: [{ path: 'large.txt', content: line.repeat(10_400) }],
          message: 'Large',
          author: { name: 'A', email: 'a@example.org' },
          date: new Date(),
          key: randomUUID(),
        })
        .then((made) => made);
      const { body } = await get('large.txt', { at: commit });
      assert.equal(body.truncated, false);
      assert.equal(body.content.length, 1_040_000);
      assert.equal((await put('large.txt', 'x'.repeat(1_048_577))).status, 422);
      assert.equal((await put('large.txt', 'ü'.repeat(1_000_000))).status, 413);
    });
  });

  describe('writing', () => {
    it('is one commit each, in the name of the key or the member', async () => {
      const key = (await api.request('POST', '/api/api-keys', { name: 'deploy bot', scopes: ['workspace:write'] }))
        .body;
      const made = await call('PUT', fileAt('mine.md'), { body: { content: 'x', message: 'Say x' }, key: key.api_key });
      assert.equal(made.status, 200, JSON.stringify(made.body));
      assert.deepEqual(made.body.changed, [{ path: 'mine.md', change: 'added' }]);
      assert.equal(made.etag, `"${made.body.id}"`);
      const { commits } = (await call('GET', 'history?path=mine.md')).body;
      assert.deepEqual(
        commits.map(({ id, author, message }: Json) => ({ id, author, message })),
        [{ id: made.body.commit, author: 'deploy bot', message: 'Say x' }],
      );
      const again = await put('mine.md', 'x');
      assert.deepEqual([again.body.changed, again.body.id], [[], made.body.id]);
      assert.equal((await call('GET', 'history?path=mine.md')).body.commits.length, 1);
    });

    it('creates, and does not create what is there', async () => {
      const create = (path: string, content?: string) => call('POST', 'file', { body: { path, content } });
      assert.deepEqual((await create('new/x.md', 'x')).body.changed, [{ path: 'new/x.md', change: 'added' }]);
      const there = await create('new/x.md', 'y');
      assert.deepEqual([there.status, there.body.code], [409, 'exists']);
      assert.equal((await create('new')).status, 409);
      assert.equal((await create('new/x.md/y')).body.code, 'clash');
      assert.equal((await create('new/empty.md')).body.size, 0);
    });

    it('replaces exactly one piece, or says where there are several', async () => {
      await put('edit.md', 'a b\nc\na b\n');
      const none = await patch('edit.md', { search: 'zzz', replace: 'y' });
      assert.deepEqual([none.status, none.body.code, none.body.matches, none.body.lines], [409, 'no_match', 0, []]);
      const several = await patch('edit.md', { search: 'a b', replace: 'y' });
      assert.deepEqual(
        [several.status, several.body.code, several.body.matches, several.body.lines],
        [409, 'several_matches', 2, [1, 3]],
      );
      assert.equal((await patch('edit.md', { search: 'c', replace: 'd' })).status, 200);
      assert.equal((await patch('edit.md', { search: 'a b', replace: 'y', replace_all: true })).status, 200);
      assert.equal(await contentOf('edit.md'), 'y\nd\ny\n');
      assert.equal((await patch('nowhere.md', { search: 'c', replace: 'd' })).status, 404);
      assert.equal((await patch('edit.md', { search: '', replace: 'd' })).status, 422);
      await put('edit.md', 'a'.repeat(1_000));
      const grown = await patch('edit.md', { search: 'a', replace: 'b'.repeat(1_048_576), replace_all: true });
      assert.deepEqual([grown.status, grown.body.code], [413, 'too_large']);
    });

    it('deletes a file, or a directory with everything in it', async () => {
      await put('gone/a', '1');
      await put('gone/b/c', '2');
      await put('gone.md', '3');
      assert.deepEqual((await call('DELETE', fileAt('gone.md'))).body.changed, [
        { path: 'gone.md', change: 'deleted' },
      ]);
      assert.equal((await call('DELETE', fileAt('gone'))).body.changed.length, 2);
      assert.equal((await call('DELETE', fileAt('gone'))).status, 404);
      assert.equal((await call('DELETE', fileAt('.'))).status, 422);
    });

    it('of several files is all or nothing, and conflicts name the paths', async () => {
      const first = (await put('batch/a', '1')).body.id;
      const batch = (files: Json, more: object = {}) => call('POST', 'batch', { body: { files, ...more } });
      const made = await batch(
        [
          { path: 'batch/a', content: '2', expected: first },
          { path: 'batch/b', content: '2', expected: null },
        ],
        { message: 'Both' },
      );
      assert.deepEqual(
        made.body.changed.map(({ path }: Json) => path),
        ['batch/a', 'batch/b'],
      );
      const conflict = await batch([
        { path: 'batch/c', content: '3' },
        { path: 'batch/a', content: '3', expected: first },
        { path: 'batch/b', content: null, expected: null },
      ]);
      assert.deepEqual([conflict.status, conflict.body.paths], [409, ['batch/a', 'batch/b']]);
      assert.equal((await get('batch/c')).status, 404);
      for (const files of [
        [
          { path: 'x', content: '1' },
          { path: 'x', content: '2' },
        ],
        [{ path: '../x', content: '1' }],
        [],
      ])
        assert.equal((await batch(files)).status, 422);
      assert.equal(
        (await batch(Array.from({ length: 9 }, (_, i) => ({ path: `big/${i}`, content: 'x'.repeat(1_000_000) }))))
          .status,
        413,
      );
      assert.equal((await call('GET', 'tree?path=big')).status, 404);
    });

    it('has nothing left to commit, and no differences', async () => {
      const { commit } = (await call('GET', 'tree')).body;
      assert.deepEqual((await call('POST', 'commit')).body, { commit, changed: [] });
      assert.deepEqual((await call('GET', 'diff')).body, { diff: '', files: [] });
    });

    it('refuses paths that lead elsewhere, and never takes one for an option', async () => {
      for (const path of [
        '../x',
        '/etc/passwd',
        '.git/config',
        'a/.GIT/x',
        'git~1/x',
        '.git /x',
        'a\\b',
        'a/../b',
        'a//b',
        '.g\u200cit/x',
        '\u0000',
      ]) {
        assert.equal((await put(path, 'x')).status, 422, path);
        assert.equal((await call('POST', 'file', { body: { path, content: 'x' } })).status, 422, path);
        for (const method of ['GET', 'DELETE']) assert.equal((await call(method, fileAt(path))).status, 422, path);
        for (const endpoint of ['tree', 'history'])
          assert.equal((await call('GET', `${endpoint}?path=${encodeURIComponent(path)}`)).status, 422, path);
      }
      for (const path of ['--upload-pack=touch /tmp/x', '-rf', ':(top)x', '*', 'HEAD', '@{0}']) {
        assert.equal((await put(path, path)).status, 200, path);
        assert.equal(await contentOf(path), path);
        assert.equal((await call('GET', `history?path=${encodeURIComponent(path)}`)).body.commits.length, 1, path);
        assert.equal((await call('DELETE', fileAt(path))).status, 200, path);
      }
    });

    it('does not touch mirrors', async () => {
      for (const answer of [
        await put('repos/acme/shop/a', 'x'),
        await call('POST', 'file', { body: { path: 'repos/x', content: 'x' } }),
        await patch('repos/acme/shop/a', { search: 'x', replace: 'y' }),
        await call('DELETE', fileAt('repos')),
        await call('POST', 'batch', {
          body: {
            files: [
              { path: 'ok', content: '1' },
              { path: 'repos/x', content: '1' },
            ],
          },
        }),
      ])
        assert.deepEqual([answer.status, answer.body.code], [403, 'read_only']);
      assert.equal((await get('ok')).status, 404);
    });
  });

  describe('lost updates', () => {
    it('are prevented by If-Match', async () => {
      const { etag } = await put('shared.md', 'base\n');
      const ours = { 'if-match': etag! };
      assert.equal((await put('shared.md', 'theirs\n')).status, 200);
      for (const answer of [
        await put('shared.md', 'ours\n', ours),
        await patch('shared.md', { search: 'theirs', replace: 'ours' }, ours),
        await call('DELETE', fileAt('shared.md'), { headers: ours }),
      ]) {
        assert.deepEqual([answer.status, answer.body.code], [412, 'changed_since']);
        assert.equal(answer.body.id, (await get('shared.md')).body.id);
      }
      assert.equal(await contentOf('shared.md'), 'theirs\n');
      const newest = (await get('shared.md')).etag!;
      assert.equal((await put('shared.md', 'both\n', { 'if-match': `"x", W/${newest}` })).status, 200);
      assert.equal((await put('shared.md', 'x', { 'if-none-match': '*' })).status, 412);
      assert.equal((await put('unborn.md', 'x', { 'if-match': '*' })).status, 412);
      assert.equal((await put('unborn.md', 'x', { 'if-none-match': '*' })).status, 200);
    });

    it('of three people who write at once, one wins each round', async () => {
      let { etag } = await put('race.md', 'start');
      for (let round = 0; round < 2; round++) {
        const answers = await Promise.all(
          Array.from({ length: 3 }, (_, i) => put('race.md', `${round}-${i}`, { 'if-match': etag! })),
        );
        assert.deepEqual(
          answers.map(({ status }) => status).sort((a, b) => a - b),
          [200, 412, 412],
        );
        const winner = answers.find(({ status }) => status === 200)!;
        assert.equal((await get('race.md')).etag, winner.etag);
        etag = winner.etag;
      }
    });

    it('do not happen when two people and a chat edit one file', async () => {
      const { etag } = await put('three.md', 'one\ntwo\nthree\n');
      const run = { teamId: api.teamId, runId: randomUUID() };
      const { drafts } = api.api.deps;
      await drafts.stage(run, randomUUID(), async ({ workspace: files, at }) => {
        const { text } = await files.read('three.md', { at });
        const changes = [{ path: 'three.md', content: text!.replace('three', 'three of the chat') }];
        return { changes, result: { output: {}, digest: '' } };
      });
      const first = await put('three.md', 'one of Ann\ntwo\nthree\n', { 'if-match': etag! });
      const stale = await put('three.md', 'one\ntwo of Bob\nthree\n', { 'if-match': etag! });
      assert.deepEqual([first.status, stale.status], [200, 412]);
      assert.equal((await patch('three.md', { search: 'two', replace: 'two of Bob' })).status, 200);
      const author = { name: 'Casebook', email: 'casebook@localhost' };
      const outcome = await drafts.finish(run, 'apply', { message: 'From a chat', author, date: new Date() });
      assert.deepEqual([outcome.status, outcome.conflicts], ['conflict', ['three.md']]);
      assert.equal(await contentOf('three.md'), 'one of Ann\ntwo of Bob\nthree\n');
    });

    it('do not happen to edits of different places, whoever makes them', async () => {
      await put('places.md', Array.from({ length: 4 }, (_, i) => `line ${i};\n`).join(''));
      const edits = Array.from({ length: 4 }, (_, i) =>
        patch('places.md', { search: `line ${i};`, replace: `done ${i}` }),
      );
      for (const { status, body } of await Promise.all(edits)) assert.equal(status, 200, JSON.stringify(body));
      assert.equal(await contentOf('places.md'), Array.from({ length: 4 }, (_, i) => `done ${i}\n`).join(''));
    });
  });

  describe('repeated requests', () => {
    it('with the same key are one commit with one answer', async () => {
      const headers = { 'idempotency-key': 'again-1' };
      await put('again.md', 'a a2');
      const first = await patch('again.md', { search: 'a2', replace: 'b' }, headers);
      const later = await put('again.md', 'others');
      const second = await patch('again.md', { search: 'a2', replace: 'b' }, headers);
      assert.deepEqual([second.status, second.body], [200, first.body]);
      assert.notEqual(later.body.commit, first.body.commit);
      assert.equal(await contentOf('again.md'), 'others');
      const other = await patch('again.md', { search: 'a2', replace: 'c' }, headers);
      assert.deepEqual([other.status, other.body.code], [409, 'idempotency_key_reused']);
      const create = () => call('POST', 'file', { body: { path: 'once.md' }, headers: { 'idempotency-key': 'once' } });
      assert.deepEqual((await create()).body, (await create()).body);
      const both = await Promise.all([1, 2, 3].map(() => put('thrice.md', 'x', { 'idempotency-key': 'thrice' })));
      assert.equal(new Set(both.map(({ body }) => body.commit)).size, 1);
      const different = await Promise.all(
        [1, 2, 3].map((n) => put(`at-once-${n}.md`, 'x', { 'idempotency-key': 'at-once' })),
      );
      assert.deepEqual(
        different.map(({ status }) => status).toSorted((a, b) => a - b),
        [200, 409, 409],
      );
    });
  });

  describe('search', () => {
    it('takes an expression or plain text, in any case, as words, below a path', async () => {
      await put('find/a.md', 'Timeout 30s\ntimeouts (x)\n');
      await put('find/sub/b.md', 'timeout\n');
      const find = async (pattern: string, more: Record<string, string> = {}) =>
        call('GET', `search?${new URLSearchParams({ pattern, path: 'find', ...more }).toString()}`);
      const lines = async (...given: Parameters<typeof find>) =>
        (await find(...given)).body.matches.map(({ path, line }: Json) => `${path}:${line}`);
      assert.deepEqual(await lines('t[a-i]meout'), ['find/a.md:2', 'find/sub/b.md:1']);
      assert.deepEqual(await lines('TIMEOUT', { flags: 'iw' }), ['find/a.md:1', 'find/sub/b.md:1']);
      assert.deepEqual(await lines('(x)', { flags: 'F' }), ['find/a.md:2']);
      assert.deepEqual(await lines('timeout', { path: 'find/sub' }), ['find/sub/b.md:1']);
      assert.deepEqual(await lines('--help'), []);
      for (const [pattern, more] of [
        ['(', {}],
        ['', {}],
        ['a', { flags: 'E' }],
        ['(a{1,1000}){1,1000}', {}],
      ] as const) {
        const { status, body } = await find(pattern, more);
        assert.equal(status, 422);
        assert.deepEqual(body.detail[0].loc, ['query', 'pattern']);
      }
    });
  });

  it('history pages, and an old version can be read', async () => {
    for (const content of ['1', '2', '3']) await put('history/x.md', content);
    await put('history/y.md', 'y');
    const first = (await call('GET', 'history?path=history/x.md&limit=2')).body;
    assert.deepEqual([first.commits.length, first.truncated], [2, true]);
    const rest = (await call('GET', `history?path=history/x.md&limit=2&before=${first.commits[1].id}`)).body;
    assert.deepEqual([rest.commits.length, rest.truncated], [1, false]);
    assert.equal((await get('history/x.md', { at: rest.commits[0].id })).body.content, '1');
    assert.equal((await call('GET', 'history?path=history')).body.commits.length, 4);
    assert.equal((await call('GET', `history?before=${'f'.repeat(40)}`)).status, 404);
    assert.deepEqual((await call('GET', 'history?path=nowhere')).body.commits, []);
  });

  it('apply what a chat has proposed, once and in the name of the caller, or discard it', async () => {
    const { drafts } = api.api.deps;
    const author = { name: 'Casebook', email: 'casebook@localhost' };
    const propose = async (path: string): Promise<string> => {
      const run = { teamId: api.teamId, runId: randomUUID() };
      const result = { output: {}, digest: '' };
      await drafts.stage(run, randomUUID(), async () => ({ changes: [{ path, content: 'by a chat\n' }], result }));
      const outcome = await drafts.finish(run, 'propose', { message: 'A proposal', author, date: new Date() });
      return outcome.proposal!;
    };
    const at = (id: string, what = '', method = 'POST') => call(method, `proposals/${id}${what}`);
    const [taken, dropped, late] = [await propose('taken.md'), await propose('dropped.md'), await propose('late.md')];
    const shown = (await at(taken, '', 'GET')).body;
    assert.deepEqual([shown.status, shown.paths[0].path], ['proposed', 'taken.md']);
    assert.match(shown.diff, /\+by a chat/);
    const applied = (await at(taken, '/apply')).body;
    assert.equal(applied.status, 'committed');
    assert.deepEqual((await at(taken, '/apply')).body, applied);
    assert.equal((await at(taken, '/discard')).body.status, 'committed');
    assert.equal(await contentOf('taken.md'), 'by a chat\n');
    assert.equal((await call('GET', 'history?path=taken.md')).body.commits.length, 1);
    assert.equal((await at(dropped, '/discard')).body.status, 'discarded');
    await put('late.md', 'first\n');
    const conflict = (await at(late, '/apply')).body;
    assert.deepEqual([conflict.status, conflict.conflicts], ['conflict', ['late.md']]);
    assert.equal((await at(randomUUID(), '/apply')).status, 404);
  });

  it('need their scope', async () => {
    const [reading, writing] = [await api.keyWith('workspace:read'), await api.keyWith('workspace:write')];
    const statuses = async (key: string) =>
      Promise.all(
        [
          call('GET', 'tree', { key }),
          call('GET', 'search?pattern=x', { key }),
          call('PUT', fileAt('scoped'), { body: { content: 'x' }, key }),
          call('POST', 'commit', { key }),
        ].map(async (answer) => (await answer).status),
      );
    assert.deepEqual(await statuses(reading), [200, 200, 403, 403]);
    assert.deepEqual(await statuses(writing), [403, 403, 200, 200]);
  });

  it('show no other team’s files @never-forgiven', async () => {
    const made = await put('secret.md', 'the secret');
    const { body } = await api.request('POST', '/api/teams', {
      name: 'other',
      admin_email: 'o@example.org',
      admin_name: 'O',
    });
    const key: string = body.api_key.api_key;
    for (const path of [
      fileAt('secret.md'),
      fileAt('secret.md', { at: made.body.commit }),
      `history?before=${made.body.commit}`,
    ])
      assert.equal((await call('GET', path, { key })).status, 404, path);
    for (const path of ['tree', 'search?pattern=secret', 'history?path=secret.md'])
      assert.doesNotMatch(JSON.stringify((await call('GET', path, { key })).body), /secret/, path);
  });
});
