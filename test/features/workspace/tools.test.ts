import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { createToolRegistry, VIEW_CHARACTERS, type ToolOutput } from '../../../src/features/tools/index.ts';
import { createWorkspaceDrafts, workspaceTools, type WorkspaceDrafts } from '../../../src/features/workspace/index.ts';
import { createTestDatabase, type TestDatabase } from '../../support/database.ts';
import { toolContext } from '../../support/tool-context.ts';
import { author, commitTo, date, mirrored, scratch, team, type Scratch, type TestTeam } from './support.ts';

describe('workspace: tools', () => {
  let given: Scratch;
  let database: TestDatabase;
  let drafts: WorkspaceDrafts;
  before(async () => {
    given = scratch();
    database = await createTestDatabase();
    drafts = createWorkspaceDrafts({ orm: database.orm, workspaces: given.workspaces });
  });
  after(async () => {
    given.remove();
    await database.drop();
  });

  /** A run that works on a team's files with its tools. */
  function working(files: TestTeam = team(given)) {
    const { reading, writing } = workspaceTools(drafts);
    const registry = createToolRegistry([...reading, ...writing]);
    const run = { teamId: files.id, runId: randomUUID() };
    const call = (name: string, input: object, toolCallId: string = randomUUID()): Promise<ToolOutput> =>
      registry.invoke(name, input, { ...toolContext(), ...run, toolCallId });
    const says = async (name: string, input: object): Promise<string> => String((await call(name, input)).content);
    return {
      files,
      run,
      call,
      says,
      async answers(name: string, input: object): Promise<Record<string, unknown>> {
        const { content, isError } = await call(name, input);
        assert.notEqual(isError, true, String(content));
        return JSON.parse(String(content));
      },
      async refuses(name: string, input: object, why: RegExp): Promise<void> {
        const { content, isError } = await call(name, input);
        assert.equal(isError, true, String(content));
        assert.match(String(content), why);
      },
    };
  }

  it('say what they need: reading, or writing with an effect', () => {
    const { reading, writing } = workspaceTools(drafts);
    assert.deepEqual(
      reading.map(({ name }) => name),
      ['list_files', 'read_file', 'search_files'],
    );
    assert.deepEqual(
      writing.map(({ name }) => name),
      ['create_file', 'edit_file', 'delete_file'],
    );
    for (const tool of reading) assert.deepEqual([tool.requires, tool.sideEffect], ['workspace:read', undefined]);
    for (const tool of writing) assert.deepEqual([tool.requires, tool.sideEffect], ['workspace:write', true]);
  });

  it('a turn reads, searches, creates, edits and deletes, and hands in one commit', async () => {
    const { answers, says, run, files } = working();
    await commitTo(files.workspace, {
      'runbooks/db.md': '# Database\n\nRestart it.\n',
      'old/a.md': 'x',
      'old/b.md': 'x',
    });
    assert.deepEqual((await answers('list_files', {}))['entries'], [
      { path: 'old', type: 'directory', size: null },
      { path: 'runbooks', type: 'directory', size: null },
    ]);
    assert.equal(
      await says('search_files', { pattern: 'restart', flags: 'i' }),
      '1 line in 1 file:\nrunbooks/db.md:3: Restart it.',
    );
    assert.equal(
      await says('read_file', { path: 'runbooks/db.md' }),
      'runbooks/db.md, lines 1-3 of 3; end of file:\n# Database\n\nRestart it.\n',
    );
    assert.deepEqual(
      await answers('edit_file', { path: 'runbooks/db.md', old_text: 'Restart it.', new_text: 'Look first.' }),
      {
        path: 'runbooks/db.md',
        replacements: 1,
        lines: [3],
        size: 24,
      },
    );
    assert.deepEqual(await answers('create_file', { path: 'runbooks/cache.md', content: 'Flush.\n' }), {
      path: 'runbooks/cache.md',
      change: 'created',
      size: 7,
    });
    assert.deepEqual(await answers('delete_file', { path: 'old' }), {
      path: 'old',
      files: 2,
      deleted: ['old/a.md', 'old/b.md'],
    });
    assert.match(
      await says('read_file', { path: 'runbooks/db.md', offset: 2 }),
      /lines 3-3 of 3; end of file:\nLook first\.\n$/,
    );
    assert.equal(await says('search_files', { pattern: 'Flush' }), '1 line in 1 file:\nrunbooks/cache.md:1: Flush.');
    const outcome = await drafts.finish(run, 'apply', { message: 'm', author, date });
    assert.deepEqual(
      outcome.paths.map(({ path, change }) => `${change} ${path}`),
      ['deleted old/a.md', 'deleted old/b.md', 'added runbooks/cache.md', 'modified runbooks/db.md'],
    );
  });

  it('a repeated call has the same answer and is made once', async () => {
    const { call, says } = working();
    const [create, edit] = [randomUUID(), randomUUID()];
    for (let i = 0; i < 2; i++) {
      const { content, isError } = await call('create_file', { path: 'a', content: 'xx' }, create);
      assert.deepEqual([JSON.parse(String(content)).change, isError], ['created', undefined]);
    }
    for (let i = 0; i < 2; i++) {
      const input = { path: 'a', old_text: 'xx', new_text: 'xxx' };
      const { content } = await call('edit_file', input, edit);
      assert.equal(JSON.parse(String(content)).replacements, 1);
    }
    assert.match(await says('read_file', { path: 'a' }), /\nxxx$/);
  });

  it('tell the model what was wrong, and change nothing then', async () => {
    const files = team(given);
    await mirrored(files, {
      'a.md': { content: 'one\n  two\none\n' },
      'dir/x': { content: 'x' },
      bin: { content: Buffer.from([0, 1]) },
      link: { mode: '120000', content: '/etc/passwd' },
    });
    const { refuses, run } = working(files);
    const edit = (input: object, why: RegExp): Promise<void> => refuses('edit_file', { path: 'a.md', ...input }, why);
    await edit({ old_text: 'one', new_text: '1' }, /occurs 2 times \(lines 1, 3\).*replace_all/);
    await edit({ old_text: 'two\none\n', new_text: 'two\none\n' }, /nothing to change/);
    await edit({ old_text: 'three', new_text: '3' }, /does not occur in the file/);
    await edit({ old_text: '\ttwo\nxx', new_text: '3' }, /Line 2 resembles its first line/);
    await edit({ path: 'none', old_text: 'a', new_text: 'b' }, /The workspace has no none/);
    await edit({ path: 'bin', old_text: 'a', new_text: 'b' }, /bin is binary, not text/);
    await edit({ path: 'link', old_text: 'root', new_text: 'b' }, /link is link, not text/);
    await edit({ path: 'dir', old_text: 'a', new_text: 'b' }, /dir is a directory/);
    await edit({ old_text: 'two', new_text: 'a\0b' }, /not text/);
    await edit({ old_text: '', new_text: 'b' }, /not valid: old_text/);
    await refuses('create_file', { path: 'a.md', content: 'x' }, /already exists \(14 bytes\).*overwrite/);
    await refuses('create_file', { path: 'dir', content: 'x', overwrite: true }, /dir is a directory/);
    await refuses('create_file', { path: 'a.md/x', content: 'x' }, /a\.md is a file/);
    await refuses('create_file', { path: '../x', content: 'x' }, /not an accepted path/);
    await refuses('create_file', { path: '.git/hooks/x', content: 'x' }, /a folder of Git/);
    await refuses('create_file', { path: 'ü'.repeat(10), content: 'ü'.repeat(600_000) }, /1200000 bytes; at most/);
    await refuses('delete_file', { path: '.' }, /not an accepted path/);
    await refuses('delete_file', { path: 'none' }, /The workspace has no none/);
    await refuses('list_files', { path: 'a.md' }, /a\.md is a file, not a directory/);
    await refuses('search_files', { pattern: '(' }, /regular expression: Unmatched/);
    await refuses('search_files', { pattern: 'a', flags: 'z' }, /Search flags/);
    assert.deepEqual((await drafts.diff(run)).files, []);
  });

  it('replace exactly what was given', async () => {
    const { answers, says } = working();
    await answers('create_file', { path: 'a', content: 'a $& b\r\nc\r\nd d d\r\n' });
    await answers('edit_file', { path: 'a', old_text: '$&', new_text: "$1 $' $$" });
    await answers('edit_file', { path: 'a', old_text: 'b\nc\n', new_text: 'B\nC\n' });
    await answers('edit_file', { path: 'a', old_text: 'd', new_text: '', replace_all: true });
    assert.ok((await says('read_file', { path: 'a' })).endsWith(":\na $1 $' $$ B\r\nC\r\n  \r\n"));
    await answers('create_file', { path: 'a', content: 'all new', overwrite: true });
    assert.match(await says('read_file', { path: 'a' }), /:\nall new$/);
  });

  it('show a long file in pages of whole lines that fit the view', async () => {
    const { says, files } = working();
    const lines = Array.from({ length: 1_000 }, (_, i) => `line ${i} ${'x'.repeat(40)}\n`);
    await commitTo(files.workspace, { long: lines.join(''), wide: `${'y'.repeat(30_000)}\nend`, empty: '' });
    let offset = 0;
    let read = '';
    for (let pages = 0; offset < lines.length; pages++) {
      const page = await says('read_file', { path: 'long', offset });
      assert.ok(page.length <= VIEW_CHARACTERS && pages < 10);
      read += page.slice(page.indexOf('\n') + 1);
      offset = Number(/offset (\d+):\n/.exec(page)?.[1] ?? lines.length);
    }
    assert.equal(read, lines.join(''));
    assert.match(
      await says('read_file', { path: 'long', offset: 5, limit: 1 }),
      /lines 6-6 of 1000; continue with offset 6:\nline 5 x+\n$/,
    );
    assert.match(await says('read_file', { path: 'wide' }), /lines 1-1 of 2; continue with offset 1:\ny{30000}\n$/);
    assert.equal(await says('read_file', { path: 'empty' }), 'empty has 0 lines; there is nothing from line 1 on.');
    assert.match(await says('read_file', { path: 'long', offset: 1_000 }), /nothing from line 1001/);
  });

  it('put paths and counts into the digest, and no content', async () => {
    const { call, files } = working();
    await commitTo(files.workspace, { a: 'SECRET line\n' });
    const outputs = [
      await call('read_file', { path: 'a' }),
      await call('search_files', { pattern: 'SECRET' }),
      await call('edit_file', { path: 'a', old_text: 'SECRET', new_text: 'SECRET2' }),
      await call('edit_file', { path: 'a', old_text: 'SECRET9', new_text: 'x' }),
      await call('create_file', { path: 'b', content: 'SECRET' }),
      await call('delete_file', { path: 'b' }),
      await call('list_files', { path: '.' }),
    ];
    for (const { digest } of outputs) assert.doesNotMatch(digest, /SECRET/);
    assert.deepEqual(outputs.map(({ digest }) => digest).slice(0, 3), [
      'a, lines 1-1 of 1',
      '1 line in 1 file',
      'a edited, 1 replacement',
    ]);
  });

  it('cannot reach another team’s files @never-forgiven', async () => {
    const mine = working();
    await commitTo(mine.files.workspace, { secret: 'mine' });
    const theirs = working();
    await theirs.refuses('read_file', { path: 'secret' }, /The workspace has no secret/);
    await theirs.refuses('read_file', { path: `../${mine.files.id}.git/HEAD` }, /not an accepted path/);
    assert.equal(await theirs.says('search_files', { pattern: 'mine' }), '0 lines in 0 files.');
  });
});
