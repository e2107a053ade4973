/** The tools over mirrors, on real repositories; which a team has connected is given. */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { HostChange } from '@casebook/connectors';
import type { Repository } from '../../../src/features/code-hosts/entities.ts';
import { repositoryNotFound } from '../../../src/features/code-hosts/errors.ts';
import { mirrorAt } from '../../../src/features/code-hosts/mirrors/bare.ts';
import type { CodeDeps } from '../../../src/features/code-hosts/tools/code-tool.ts';
import { codeSystems } from '../../../src/features/code-hosts/tools/index.ts';
import { kindOfFile, rankFiles } from '../../../src/features/code-hosts/tools/rank.ts';
import { createOutbound } from '../../../src/platform/outbound/index.ts';
import { startGitHttp, type CommitOptions, type GitHttp, type HostedFile } from '../../support/git-http.ts';
import { LONG_TIMEOUTS } from '../../support/timeouts.ts';
import { toolContext } from '../../support/tool-context.ts';

const { network } = createOutbound({ allow: ['127.0.0.1'] });
const T0 = 1_767_225_600;
const HOUR = 3_600;

describe('code hosts: tools', () => {
  let host: GitHttp;
  let directory: string;
  before(async () => {
    host = await startGitHttp();
    directory = mkdtempSync(join(tmpdir(), 'casebook-code-tools-'));
  });
  after(async () => {
    await host.close();
    rmSync(directory, { recursive: true, force: true });
  });

  /** A team with these repositories, each with its commits, oldest first. */
  const team = async (
    given: Record<string, [Record<string, HostedFile | null>, CommitOptions?][]>,
    { changes = [] as HostChange[] } = {},
  ) => {
    const teamId = randomUUID();
    const rows: Repository[] = [];
    const commits: Record<string, string[]> = {};
    const bare = (row: Pick<Repository, 'id'>) =>
      mirrorAt({ directory, gitTimeoutMs: LONG_TIMEOUTS.gitMs }, teamId, row.id);
    for (const [fullName, made] of Object.entries(given)) {
      const repository = host.create(`${teamId}/${fullName}`);
      commits[fullName] = made.map(([files, options], n) =>
        repository.commit(files, { at: T0 + n * HOUR, ...options }),
      );
      const row = { id: randomUUID(), teamId, fullName, defaultBranch: 'main', cloneUrl: repository.cloneUrl };
      await bare(row).fetch({ url: repository.cloneUrl, network });
      const head = (await bare(row).resolve('main')) ?? null;
      rows.push({ ...row, head, syncedAt: new Date(), error: null } as Repository);
    }
    const codeHosts = {
      find: async (_em, name) => {
        const row = rows.find(({ fullName }) => fullName === name);
        if (!row) throw repositoryNotFound(name);
        return row;
      },
      list: async () => rows,
      mirrorOf: (row) => {
        const mirror = bare(row);
        return { ...mirror, head: (branch = row.defaultBranch) => mirror.head(branch) } as never;
      },
      hostOf: async () => ({ changes: async () => changes }) as never,
    } satisfies CodeDeps['codeHosts'];
    const orm = { em: { fork: () => ({ setFilterParams: () => undefined }) } } as never;
    const systems = await codeSystems({ orm, codeHosts })(teamId);
    const call = async (name: string, input: object) => {
      const offer = systems.offers().find(({ what }) => what === name);
      assert.ok(offer, name);
      const output = await offer.run({ ...input }, { ...toolContext(), teamId });
      return { ...output, content: String(output.content) };
    };
    return { rows, commits, systems, call };
  };

  it('are offered to a team with repositories, and to no other', async () => {
    const { systems } = await team({ 'acme/shop': [[{ a: '1' }]] });
    assert.deepEqual(
      systems.offers().map(({ what, readOnly }) => [what, readOnly]),
      [
        ['search_code', true],
        ['read_code', true],
        ['code_history', true],
        ['compare_deploys', true],
      ],
    );
    assert.match(systems.instructions(undefined) ?? '', /acme\/shop/);
    const none = await team({});
    assert.deepEqual(none.systems.offers(), []);
    assert.equal(none.systems.instructions(undefined), undefined);
    assert.notEqual(none.systems.digest, systems.digest);
  });

  describe('search_code', () => {
    it('finds lines in all repositories, in one, at another commit, by text and by expression', async () => {
      const { call, commits } = await team({
        'acme/shop': [[{ 'src/a.ts': 'const timeout = 5;\n' }], [{ 'src/a.ts': 'const timeout = 500;\n' }]],
        'acme/pay': [[{ 'pay.go': 'Timeout: 30\n', 'img.bin': Buffer.from([0, 1]).toString() }]],
      });
      const all = await call('search_code', { pattern: 'timeout', ignore_case: true });
      assert.match(all.content, /^2 lines in 2 repositories/);
      assert.match(all.content, /acme\/shop src\/a\.ts:1: const timeout = 500;/);
      assert.match(all.content, /acme\/pay pay\.go:1: Timeout: 30/);
      assert.equal(all.answer, 'data');
      const old = await call('search_code', {
        pattern: 'timeout = [0-9]+',
        regex: true,
        repository: 'acme/shop',
        at: commits['acme/shop']![0],
      });
      assert.match(old.content, /timeout = 5;/);
      const text = await call('search_code', { pattern: 'timeout = [0-9]+' });
      assert.equal(text.answer, 'nothing');
      assert.ok(!text.content.includes('[0-9]'), 'the pattern is repeated');
    });

    it('shows lines of every repository that has some, however many the first ones have', async () => {
      const many = Array.from({ length: 90 }, (_, n) => `retry ${n}\n`).join('');
      const { call } = await team({
        'acme/a': [[{ many }]],
        'acme/b': [[{ many }]],
        'acme/c': [[{ few: 'retry\nretry\n' }]],
      });
      const { content } = await call('search_code', { pattern: 'retry', limit: 20 });
      const count = (name: string) => content.split('\n').filter((line) => line.startsWith(`acme/${name} `)).length;
      assert.deepEqual(['a', 'b', 'c'].map(count), [9, 9, 2]);
      assert.match(content, /^20 lines in 3 repositories, and there are more/u);
    });

    it('says what is wrong: the pattern, the repository, the revision', async () => {
      const { call } = await team({ 'acme/shop': [[{ a: '1' }]] });
      for (const [input, problem] of [
        [{ pattern: '(', regex: true }, /regular expression/],
        [{ pattern: 'a', repository: 'acme/none' }, /no repository/],
        [{ pattern: 'a', repository: 'acme/shop', at: 'nope' }, /no branch, tag or commit/],
        [{ pattern: 'a', repository: 'acme/shop', path: '../x' }, /not an accepted path/],
        [{ pattern: '' }, /not valid/],
        [{ pattern: 'a', flags: '--open-files-in-pager=touch' }, /not valid/],
        [{ pattern: '((a{1,200}){1,200}){1,200}', regex: true }, /repetitions/],
      ] as const) {
        const { content, isError } = await call('search_code', input);
        assert.equal(isError, true, content);
        assert.match(content, problem);
      }
      const option = await call('search_code', {
        pattern: '--open-files-in-pager=touch /tmp/pwned',
        repository: 'acme/shop',
      });
      assert.equal(option.answer, 'nothing');
    });
  });

  describe('read_code', () => {
    it('reads pages, older versions, directories, and says what is no text', async () => {
      const lines = Array.from({ length: 50 }, (_, n) => `line ${n + 1}\n`).join('');
      const { call, commits } = await team({
        'acme/shop': [
          [{ 'src/a.ts': 'old\n' }],
          [
            {
              'src/a.ts': lines,
              'src/deep/b.ts': 'b',
              out: { mode: '120000', content: '../../../etc/passwd' },
              sub: { mode: '160000', content: 'c'.repeat(40) },
              'big.psd': 'version https://git-lfs.github.com/spec/v1\noid sha256:aa\nsize 12345\n',
              'x.bin': { content: Buffer.from([0, 255, 1]) },
            },
          ],
        ],
      });
      const repository = 'acme/shop';
      const page = await call('read_code', { repository, path: 'src/a.ts', from_line: 10, lines: 2 });
      assert.match(page.content, /lines 10-11 of 50; continue with from_line 12:\nline 10\nline 11\n$/);
      const old = await call('read_code', { repository, path: 'src/a.ts', at: commits[repository]![0]!.slice(0, 8) });
      assert.match(old.content, /end of file:\nold\n$/);
      const list = await call('read_code', { repository, path: 'src' });
      assert.match(list.content, /src\/a\.ts \(\d+ bytes\)\nsrc\/deep\/$/m);
      assert.match((await call('read_code', { repository })).content, /sub \(submodule\)/);
      assert.match(
        (await call('read_code', { repository, path: 'out' })).content,
        /is a link to: \.\.\/\.\.\/\.\.\/etc\/passwd/,
      );
      assert.match((await call('read_code', { repository, path: 'out/passwd' })).content, /no out\/passwd/);
      assert.match((await call('read_code', { repository, path: 'x.bin' })).content, /binary, 3 bytes/);
      assert.match((await call('read_code', { repository, path: 'big.psd' })).content, /pointer of Git LFS/);
      for (const path of ['/etc/passwd', '../a', '.git/config', 'src/.GIT/x', 'none', 'sub'])
        assert.equal((await call('read_code', { repository, path })).isError, true, path);
    });
  });

  describe('code_history', () => {
    it('lists commits with their files, by path, author, time, message and text', async () => {
      const repository = 'acme/shop';
      const { call, commits } = await team({
        [repository]: [
          [
            { 'a.txt': 'a\n', 'dir/b.txt': 'b\n' },
            { author: 'Ada', message: 'Begin\n\nMore.' },
          ],
          [{ 'a.txt': 'a\nsecret = 1\n' }, { author: 'Bob', message: 'Add a setting' }],
          [{ 'dir/b.txt': null }, { author: 'Ada', message: 'Remove b' }],
        ],
      });
      const [first, second, third] = commits[repository]!;
      const all = await call('code_history', { repository });
      const heads = all.content.split('\n').filter((line) => /^[0-9a-f]{40} /.test(line));
      assert.deepEqual(
        heads.map((line) => line.slice(0, 40)),
        [third, second, first],
      );
      assert.match(heads[1]!, /2026-01-01T01:00:00Z Bob: Add a setting$/);
      assert.match(all.content, /\n {2}A a\.txt, A dir\/b\.txt$/m);
      assert.match(all.content, /\n {2}D dir\/b\.txt\n/);
      const ids = async (query: object): Promise<string[]> =>
        (await call('code_history', { repository, ...query })).content.match(/^[0-9a-f]{40}/gmu) ?? [];
      assert.deepEqual(await ids({ path: 'dir' }), [third, first]);
      assert.deepEqual(await ids({ author: 'bob@' }), [second]);
      assert.deepEqual(await ids({ author: '.*' }), []);
      assert.deepEqual(await ids({ since: T0 + HOUR - 1, until: '2026-01-01T01:30:00Z' }), [second]);
      assert.deepEqual(await ids({ message: 'remove' }), [third]);
      assert.deepEqual(await ids({ text: 'secret = 1' }), [second]);
      assert.deepEqual(await ids({ at: second! }), [second, first]);
      assert.deepEqual(await ids({ limit: 1, skip: 1 }), [second]);
      assert.deepEqual(await ids({ author: '--output=/tmp/pwned' }), []);
    });

    it('says which commit wrote each line', async () => {
      const repository = 'acme/shop';
      const { call, commits } = await team({
        [repository]: [
          [{ f: 'one\ntwo\n' }, { author: 'Ada' }],
          [{ f: 'one\n2\n' }, { author: 'Bob' }],
        ],
      });
      const [first, second] = commits[repository]!.map((id) => id.slice(0, 12));
      const { content: whole } = await call('code_history', { repository, path: 'f', blame_from: 1, blame_to: 9_999 });
      assert.match(whole, new RegExp(`^${first} \\S+ Ada 1: one$`, 'm'));
      assert.match(whole, new RegExp(`^${second} \\S+ Bob 2: 2$`, 'm'));
      assert.match(whole, /lines 1-2, each/);
      for (const wrong of [{ path: 'none' }, { path: 'f', blame_from: 9 }, { path: 'f', blame_from: 2, blame_to: 1 }])
        assert.equal((await call('code_history', { repository, blame_from: 1, ...wrong })).isError, true);
    });
  });

  describe('compare_deploys', () => {
    const repository = 'acme/shop';
    const shop = () =>
      team(
        {
          [repository]: [
            [
              {
                'config/app.yaml': 'pool: 50\n',
                'src/db.ts': 'x\n',
                'README.md': 'r\n',
                'services/cart/main.go': 'm\n',
              },
            ],
            [{ 'README.md': Array.from({ length: 300 }, (_, n) => `${n}\n`).join('') }, { message: 'Write documents' }],
            [{ 'config/app.yaml': 'pool: 5\n' }, { message: 'Tune the pool' }],
            [{ 'services/cart/main.go': 'm2\n', 'test/db.test.ts': 't\n' }, { message: 'Change the cart' }],
          ],
          'acme/other': [[{ a: '1' }]],
        },
        {
          changes: [
            { id: 'deployment:7', at: T0 + 30, kind: 'deployment', summary: 'one' },
            { id: 'deployment:8', at: T0 + 60, kind: 'deployment', summary: 'two' },
          ],
        },
      );

    it('names commits, and the files with small changes of configuration and code first', async () => {
      const { call, commits } = await shop();
      const [first, , third, last] = commits[repository]!;
      const { content, digest } = await call('compare_deploys', { repository, from: first! });
      assert.match(content, new RegExp(`^acme/shop: ${first} \\(2026-01-01T00:00:00Z\\) to ${last}`));
      const at = (text: string): number => {
        assert.ok(content.includes(text), text);
        return content.indexOf(text);
      };
      assert.ok(at('Change the cart') < at('Tune the pool') && at('Tune the pool') < at('Write documents'));
      assert.ok(at('config/app.yaml +1 -1') < at('services/cart/main.go +1 -1'));
      assert.ok(at('services/cart/main.go +1 -1') < at('test/db.test.ts +1 -0'));
      assert.ok(at('test/db.test.ts +1 -0') < at('README.md +300 -1'));
      assert.match(content, /-pool: 50\n\+pool: 5\n/);
      assert.match(digest, /3 commits, 4 files changed/);
      const tuned = await call('compare_deploys', { repository, from: third!, to: last! });
      assert.ok(!tuned.content.includes('pool'));
    });

    it('takes times, deployments, services and paths', async () => {
      const { call, commits } = await shop();
      const [first, second, third, last] = commits[repository]!;
      const times = await call('compare_deploys', {
        repository,
        from: '2026-01-01T01:30:00Z',
        to: T0 + 2 * HOUR + 1 + '',
      });
      assert.match(times.content, new RegExp(`${second} .* to ${third} `));
      assert.equal((await call('compare_deploys', { repository, from: 'deployment:99' })).isError, true);
      const service = await call('compare_deploys', { service: 'Cart', from: first! });
      assert.match(service.content, /^acme\/shop, only services\/cart: /);
      assert.match(service.content, /m2/);
      assert.ok(!service.content.includes('pool'));
      const named = await call('compare_deploys', { service: 'shop', from: first!, path: 'config' });
      assert.match(named.content, /\+pool: 5$/m);
      assert.ok(!named.content.includes('m2'));
      const all = await call('compare_deploys', { repository, from: first!, path: '.' });
      assert.match(all.content, /^acme\/shop: /);
      assert.equal((await call('compare_deploys', { service: 'nothing-here', from: first! })).isError, true);
      assert.equal((await call('compare_deploys', { from: first! })).isError, true);
      const back = await call('compare_deploys', { repository, from: last!, to: first! });
      assert.match(back.content, /older than the first/);
      assert.match((await call('compare_deploys', { repository, from: last!, to: last! })).content, /same commit/);
    });

    it('finds the commit of a deployment at the host', async () => {
      const changes: HostChange[] = [];
      const { call, commits } = await team({ [repository]: [[{ a: '1' }], [{ a: '2' }], [{ a: '3' }]] }, { changes });
      const [, second, third] = commits[repository]!;
      changes.push({ id: 'deployment:8', at: T0, kind: 'deployment', summary: 'x', commit: second! });
      const { content } = await call('compare_deploys', { repository, from: 'acme/shop:deployment:8' });
      assert.match(content, new RegExp(`${second} .* to ${third} `));
    });

    it('bounds what it shows of a change of many files', async () => {
      const many = Object.fromEntries(Array.from({ length: 3_000 }, (_, n) => [`d${n % 50}/f${n}.ts`, `${n}\n`]));
      const { call, commits } = await team({ [repository]: [[{ a: '1' }], [{ ...many, 'app.conf': 'x=1\n' }]] });
      const { content } = await call('compare_deploys', { repository, from: commits[repository]![0]! });
      assert.ok(content.length < 80_000, String(content.length));
      assert.match(content, /3001 files changed; the likeliest to matter first:\napp\.conf \+1 -0 \(configuration\)/);
    });
  });

  it('say that a repository is still being copied, or that the copy is old', async () => {
    const { call, rows } = await team({ 'acme/shop': [[{ a: '1' }]] });
    rows[0]!.error = 'The token was revoked.';
    assert.match(
      (await call('read_code', { repository: 'acme/shop', path: 'a' })).content,
      /The copy is from .*The token was revoked/,
    );
    rows[0]!.syncedAt = null;
    assert.match((await call('read_code', { repository: 'acme/shop', path: 'a' })).content, /could not be copied/);
    rows[0]!.error = null;
    const { content, isError } = await call('search_code', { pattern: 'a' });
    assert.equal(isError, true);
    assert.match(content, /still being copied/);
  });

  it('names with hostile characters are data', async () => {
    const name = '$(touch pwned) `id` "q"\'';
    const { call, commits } = await team({
      'acme/shop': [[{ a: '1' }], [{ [`dir/${name}`]: 'x\n', '-rf': 'y\n', ':(top)a': 'z\n' }]],
    });
    const repository = 'acme/shop';
    assert.match((await call('read_code', { repository, path: '-rf' })).content, /:\ny\n$/);
    assert.match((await call('read_code', { repository, path: ':(top)a' })).content, /:\nz\n$/);
    assert.match((await call('read_code', { repository, path: `dir/${name}` })).content, /:\nx\n$/);
    assert.equal(
      (await call('code_history', { repository, path: '-rf' })).content.match(/^[0-9a-f]{40}/gmu)?.length,
      1,
    );
    const compared = await call('compare_deploys', { repository, from: commits[repository]![0]! });
    assert.ok(compared.content.includes(`dir/${name} +1 -0`));
  });

  it('ranks by kind and size', () => {
    assert.deepEqual(
      [
        'config/prod.yaml',
        'go.mod',
        'requirements.txt',
        'src/a.ts',
        '.github/workflows/ci.yml',
        'src/a.test.ts',
        'README.md',
        'package-lock.json',
        'vendor/x/y.go',
        'db/migrations/1.sql',
        'Dockerfile',
        'notes.txt',
      ].map(kindOfFile),
      [
        'configuration',
        'dependencies',
        'dependencies',
        'code',
        'build',
        'tests',
        'documents',
        'generated',
        'generated',
        'configuration',
        'configuration',
        'documents',
      ],
    );
    const file = (path: string, additions: number | null) => ({
      path,
      additions,
      deletions: additions === null ? null : 0,
    });
    assert.deepEqual(
      rankFiles([
        file('img.png', null),
        file('src/big.ts', 500),
        file('a.yaml', 400),
        file('src/small.ts', 2),
        file('README.md', 1),
      ]).map(({ path }) => path),
      ['src/small.ts', 'a.yaml', 'src/big.ts', 'README.md', 'img.png'],
    );
  });
});
