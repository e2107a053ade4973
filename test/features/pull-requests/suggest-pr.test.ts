import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import type { Orm } from '../../../src/db/orm.ts';
import { suggestionSystems } from '../../../src/features/pull-requests/suggest-pr.ts';
import { createToolRegistry, type ToolOutput } from '../../../src/features/tools/index.ts';
import { connectSystems } from '../../../src/features/tools/systems/index.ts';
import { catalogOf } from '../../support/telemetry-source.ts';
import { toolContext } from '../../support/tool-context.ts';
import { folderCodeHosts, folderRepository, type FolderRepository } from './code-hosts.ts';

// oxlint-disable-next-line typescript/no-explicit-any -- tests look into what the tool says
type Json = any;

describe('pull requests: suggest_pr', () => {
  const teamId = randomUUID();
  let shop: FolderRepository;
  let bad: string;
  beforeEach(async () => {
    shop = folderRepository(teamId);
    shop.origin.commit({ 'pool.ts': 'const size = 10;\nopen(size);\n' }, { message: 'Open a pool' });
    bad = shop.origin.commit({ 'pool.ts': 'const size = 1;\nopen(size);\n' }, { message: 'Shrink the pool' });
    await shop.sync();
  });
  afterEach(() => {
    shop.origin.remove();
    shop.mirror.remove();
  });

  // The repositories come from the fake; no query is made.
  const orm = { em: { fork: () => ({ setFilterParams: () => undefined }) } } as unknown as Orm;
  const toolsOf = (repositories: FolderRepository[]) =>
    connectSystems([suggestionSystems({ orm, codeHosts: folderCodeHosts(repositories) })], {
      own: catalogOf(),
      reserved: [],
    }).tools(teamId);
  const call = async (input: object): Promise<{ output: ToolOutput; result: Json }> => {
    const { tools } = await toolsOf([shop]);
    const output = await createToolRegistry(tools).invoke('suggest_pr', input, { ...toolContext(), teamId });
    return { output, result: JSON.parse(String(output.content)) };
  };

  it('is offered to teams with repositories only, with a schema that a model can read', async () => {
    assert.deepEqual(await toolsOf([]), { tools: [] });
    const { tools, instructions } = await toolsOf([shop]);
    assert.deepEqual(
      tools.map(({ name }) => name),
      ['suggest_pr'],
    );
    assert.match(instructions ?? '', /Pull requests can be suggested for: acme\/shop\./);
    const [definition] = createToolRegistry(tools).definitions();
    assert.deepEqual(definition?.input_schema.required, ['repository', 'title']);
    assert.ok('edits' in (definition.input_schema.properties as object));
  });

  it('answers with the commit it was checked against, the files and the diff, and writes nothing to the host', async () => {
    const refs = [shop.origin.run('for-each-ref'), shop.mirror.run('for-each-ref')];
    const { output, result } = await call({
      repository: 'acme/shop',
      title: 'Restore the pool',
      body: 'It was too small.',
      edits: [{ path: 'pool.ts', search: 'size = 1;', replace: 'size = 10;' }],
    });
    assert.equal(output.isError, undefined);
    assert.deepEqual(
      { ...result, diff: undefined },
      {
        kind: 'suggested_pull_request',
        repository: 'acme/shop',
        base: 'main',
        base_commit: bad,
        title: 'Restore the pool',
        body: 'It was too small.',
        files: [{ path: 'pool.ts', change: 'modified', additions: 1, deletions: 1 }],
        diff: undefined,
        warnings: [],
      },
    );
    assert.match(result.diff, /^-const size = 1;\n\+const size = 10;$/m);
    assert.equal(output.digest, 'Suggested for acme/shop: Restore the pool (1 file, +1 -1)');
    assert.deepEqual([shop.origin.run('for-each-ref'), shop.mirror.run('for-each-ref')], refs);
  });

  it('proposes the revert of a commit, and names it', async () => {
    const { result } = await call({ repository: 'acme/shop', title: 'Revert', revert_commit: bad.slice(0, 8) });
    assert.equal(result.reverts.commit, bad);
    assert.equal(result.reverts.summary, 'Shrink the pool');
    assert.match(result.diff, /^\+const size = 10;$/m);
  });

  it('says what does not apply, and where the file resembles it', async () => {
    const edits = [{ path: 'pool.ts', search: 'const sizes = 1', replace: 'x' }];
    const { output, result } = await call({ repository: 'acme/shop', title: 'T', edits });
    assert.equal(output.isError, true);
    assert.match(result.error, /does not apply/);
    assert.equal(result.problems[0].path, 'pool.ts');
    assert.deepEqual(result.problems[0].nearest, [{ line: 1, text: 'const size = 1;' }]);
  });

  it('says which repositories there are when it is given another', async () => {
    const { output, result } = await call({ repository: 'acme/other', title: 'T', revert_commit: bad });
    assert.equal(output.isError, true);
    assert.deepEqual(result.repositories, ['acme/shop']);
  });

  it('refuses unknown branches, archived repositories and bad input in words', async () => {
    const wanted = { repository: 'acme/shop', title: 'T', revert_commit: bad };
    assert.match((await call({ ...wanted, base: 'nope' })).result.error, /no branch "nope"/);
    assert.match((await call({ ...wanted, base: '--upload-pack=x' })).result.error, /name of a branch/);
    assert.match((await call({ ...wanted, edits: [{ path: 'a', content: '' }] })).result.error, /either/);
    shop.row.isArchived = true;
    const { tools } = await toolsOf([shop]);
    assert.deepEqual(tools, []);
  });

  it('cuts a long diff at a line, and lists every file all the same', async () => {
    const content = `${'x'.repeat(99)}\n`.repeat(2_000);
    const { result } = await call({
      repository: 'acme/shop',
      title: 'T',
      edits: ['a', 'b'].map((path) => ({ path, content })),
    });
    assert.equal(result.diff_truncated, true);
    assert.ok(result.diff.length <= 60_000 && result.diff.endsWith('x\n'));
    assert.equal(result.files.length, 2);
  });
});
