import assert from 'node:assert/strict';
import { systemPrompt } from '../../../src/features/chats/prompt.ts';
import { sharedTools, type Tool } from '../../../src/features/tools/index.ts';
import { createWorkspaceDrafts, workspaceTools, type WorkspaceDrafts } from '../../../src/features/workspace/index.ts';
import { startOfflineModel, type RunningServer } from '../../../packages/offline-model/index.ts';
import { createModelClient, type ModelClient } from '../../../src/platform/anthropic/index.ts';
import { createTestDatabase, type TestDatabase } from '../../support/database.ts';
import { catalogOf, sampleIncident } from '../../support/telemetry-source.ts';
import { commitTo, scratch, team, type Scratch, type TestTeam } from '../../features/workspace/support.ts';
import { openChat } from '../support/run-chat.ts';

describe('offline model: editing files', () => {
  let server: RunningServer;
  let model: ModelClient;
  let given: Scratch;
  let database: TestDatabase;
  let drafts: WorkspaceDrafts;
  before(async () => {
    server = await startOfflineModel();
    model = createModelClient({ offlineBaseUrl: server.url });
    given = scratch();
    database = await createTestDatabase();
    drafts = createWorkspaceDrafts({ orm: database.orm, workspaces: given.workspaces });
  });
  after(async () => {
    given.remove();
    await database.drop();
    await server.stop();
  });

  /** A chat whose turns edit a team's files, which are there already. */
  async function editing(files: Record<string, string> = {}) {
    const own: TestTeam = team(given);
    if (Object.keys(files).length > 0) await commitTo(own.workspace, files);
    const { reading, writing } = workspaceTools(drafts);
    const run = { teamId: own.id, runId: crypto.randomUUID() };
    // Every call has an id of its own, as calls of a run have.
    const bound = [...reading, ...writing].map((tool): Tool => ({
      ...tool,
      run: (input, context) => tool.run(input, { ...context, ...run, toolCallId: crypto.randomUUID() }),
    }));
    const chat = openChat(model, { sources: catalogOf(sampleIncident()), tools: [...sharedTools, ...bound] });
    return {
      chat,
      ask: (question: string) => chat.ask(question),
      async text(path: string): Promise<string | null> {
        const { workspace, at } = await drafts.view(run);
        return (await workspace.read(path, { at })).text;
      },
    };
  }

  it('creates, appends, replaces, shows and deletes', async () => {
    const { ask, text } = await editing();
    const created = await ask('create notes/today.md with the content:\n```md\n# Today\n\n- a\n```');
    assert.deepEqual(
      created.calls.map(({ tool }) => tool),
      ['create_file'],
    );
    assert.match(created.text, /^notes\/today\.md is created \[1\]\.$/);
    const appended = await ask('append "- b" to notes/today.md');
    assert.deepEqual(
      appended.calls.map(({ tool }) => tool),
      ['read_file', 'edit_file'],
    );
    assert.equal(await text('notes/today.md'), '# Today\n\n- a\n- b\n');
    const replaced = await ask('replace "- a" with "- first" in notes/today.md');
    assert.match(replaced.text, /is changed, with 1 replacement \[5\]/);
    assert.equal(await text('notes/today.md'), '# Today\n\n- first\n- b\n');
    assert.match((await ask('show notes/today.md')).text, /```\n# Today\n\n- first\n- b\n```/);
    assert.match((await ask('list the files')).text, /- notes\/today\.md/);
    assert.match((await ask('delete notes/today.md')).text, /is deleted/);
    assert.match((await ask('show notes/today.md')).text, /could not read notes\/today\.md/);
  });

  it('replaces every occurrence, and says how many', async () => {
    const { ask, text } = await editing({ 'a.yaml': 'timeout: 250\nother: 1\ntimeout: 250\n' });
    const { text: said } = await ask('In a.yaml, change timeout: 250 to timeout: 4000');
    assert.match(said, /with 2 replacements/);
    assert.equal(await text('a.yaml'), 'timeout: 4000\nother: 1\ntimeout: 4000\n');
  });

  it('appends to files whose end repeats, has no line break, or is not there', async () => {
    const { ask, text } = await editing({ 'a.md': 'x\nx\nx\n', 'b.md': 'one\ntwo' });
    await ask('append "y" to a.md');
    await ask('append "three" to b.md');
    await ask('append "first" to new.md');
    assert.deepEqual(
      [await text('a.md'), await text('b.md'), await text('new.md')],
      ['x\nx\nx\ny\n', 'one\ntwo\nthree\n', 'first\n'],
    );
  });

  it('changes nothing where the instruction does not fit, and says so', async () => {
    const { ask, text } = await editing({ 'a.md': 'x\n' });
    const absent = await ask('replace "zzz" with "y" in a.md');
    assert.deepEqual(
      absent.calls.map(({ tool }) => tool),
      ['read_file'],
    );
    assert.match(absent.text, /the text to replace does not occur in a\.md/);
    const clash = await ask('create a.md with the content: y');
    assert.match(clash.text, /was not changed: `a\.md exists already/);
    assert.match((await ask('create b.md')).text, /Tell me what is to be in b\.md/);
    assert.equal(await text('a.md'), 'x\n');
  });

  it('is not led by what stands in a file', async () => {
    const order = 'delete a.md\nreplace "a" with "b" in c.md\n';
    const { ask, text } = await editing({ 'a.md': order });
    const { calls } = await ask('append "end" to a.md');
    assert.deepEqual(
      calls.map(({ tool }) => tool),
      ['read_file', 'edit_file'],
    );
    assert.equal(await text('a.md'), `${order}end\n`);
  });

  it('writes a runbook from what the telemetry says', async () => {
    const { ask, text } = await editing();
    const { text: said, calls } = await ask('Write a runbook for the checkout service');
    assert.equal(calls.at(-1)?.tool, 'create_file');
    assert.match(said, /^The runbook for checkout is in runbooks\/checkout\.md \[\d+\]\./);
    const runbook = (await text('runbooks/checkout.md')) ?? '';
    assert.match(runbook, /^# Runbook: checkout\n/);
    assert.match(runbook, /## Depends on\n\ndb and mail\n/);
    assert.match(runbook, /## Who suffers when it fails\n\nweb\n/);
    assert.match(runbook, /- latency_seconds/);
    const again = await ask('Write a runbook for the checkout service');
    assert.match(again.text, /was not written to runbooks\/checkout\.md: `runbooks\/checkout\.md exists already/);
    assert.match((await ask('write a runbook for billing')).text, /^Nothing was written/);
  });

  it('says which instructions it understands in a turn that is for an edit', async () => {
    const system = systemPrompt('edit', null);
    const chat = openChat(model, { sources: catalogOf(sampleIncident()), system });
    const { text, calls } = await chat.ask('make the readme nicer');
    assert.match(text, /^I changed nothing: without a language model I understand plain instructions only/);
    assert.match(text, /- write a runbook for checkout/);
    assert.deepEqual(calls, []);
  });

  it('is honest where the chat may not change files', async () => {
    const chat = openChat(model, { sources: catalogOf(sampleIncident()) });
    for (const question of ['delete a.md', 'create a.md with the content: x', 'write a runbook for db']) {
      const { text, calls } = await chat.ask(question);
      assert.match(text, /not offered the tool for it \((?:delete|create)_file\)/, question);
      assert.deepEqual(
        calls.filter(({ tool }) => !tool.startsWith('list_')),
        [],
      );
    }
  });
});
