import assert from 'node:assert/strict';
import { createGitWorkspaces } from '../../../src/features/workspace/index.ts';
import type { ScriptedStep } from '../../support/scripted-model/index.ts';
import { ask, Chats, readEvents, type Answer, type Lines } from './support.ts';

interface Edited extends Answer {
  status: string;
  commit: string | null;
  paths: { path: string; change: string; additions: number; deletions: number }[];
  diff: string;
  conflicts: string[];
}

const create = (path: string, content: string) => ({ name: 'create_file', input: { path, content } });
const edit = (path: string, from: string, to: string) => ({
  name: 'edit_file',
  input: { path, old_text: from, new_text: to },
});
const lines: Record<string, Lines> = {
  creates: [
    { toolUses: [create('runbooks/web.md', 'one\ntwo\n'), create('notes.txt', 'x\n')] },
    { text: 'Both are there.' },
  ],
  edits: [
    { toolUses: [{ name: 'read_file', input: { path: 'runbooks/web.md' } }] },
    { toolUses: [edit('runbooks/web.md', 'two', 'three'), { name: 'delete_file', input: { path: 'notes.txt' } }] },
    { text: 'Changed.' },
  ],
  proposes: [{ toolUses: [create('proposal.md', 'p\n')] }, { text: 'Proposed.' }],
  looks: [{ toolUses: [{ name: 'list_files', input: { path: '.' } }] }, { text: 'Nothing to do.' }],
  conflicts: [
    { toolUses: [{ name: 'read_file', input: { path: 'shared.md' } }] },
    { hold: { gate: 'conflict', at: 'start' }, toolUses: [edit('shared.md', 'base', 'ours')] },
    { text: 'Changed.' },
  ],
  fails: [
    { toolUses: [create('half.md', 'half\n')] },
    { error: { status: 400, type: 'invalid_request_error', message: 'No.' } },
  ] satisfies ScriptedStep[],
  escapes: [
    { toolUses: [create('../outside', 'x'), create('.git/config', 'x'), create('/etc/passwd', 'x')] },
    { text: 'It is not possible.' },
  ],
  chatty: [{ toolUses: [create('from-chat.md', 'x\n')] }, { text: 'Done.' }],
};

describe('edits of the workspace in chats', () => {
  let chats: Chats;
  before(async () => {
    chats = await Chats.start({ lines });
  });
  after(() => chats?.stop());

  const editor = async (name: string, body: Record<string, unknown> = {}): Promise<Edited> => {
    const said = { messages: [{ role: 'user', content: ask(name, 'Change the files.') }], ...body };
    const { status, body: edited } = await chats.call('POST', '/api/chat-editor', said);
    assert.equal(status, 200, JSON.stringify(edited));
    return edited;
  };
  const workspace = async () => {
    const { body } = await chats.call('GET', '/api/team');
    const { workspacesDir: directory } = chats.harness.api.deps;
    return createGitWorkspaces({ directory }).forTeam((body as { id: string }).id);
  };
  const contentOf = async (path: string): Promise<string | undefined> => {
    const files = await workspace();
    const file = await files.read(path, { at: await files.head() }).catch(() => undefined);
    return file?.text ?? undefined;
  };

  it('become one commit, and the next turn sees it', async () => {
    const made = await editor('creates');
    assert.equal(made.response, 'Both are there.');
    assert.equal(made.status, 'committed');
    assert.equal(made.commit, await (await workspace()).head());
    assert.deepEqual(made.paths.map(({ path, change }) => `${change} ${path}`).toSorted(), [
      'added notes.txt',
      'added runbooks/web.md',
    ]);
    assert.equal(await contentOf('runbooks/web.md'), 'one\ntwo\n');

    const changed = await editor('edits', { chat_id: made.chat_id });
    assert.equal(changed.chat_id, made.chat_id);
    assert.deepEqual(changed.paths.map(({ path, change }) => `${change} ${path}`).toSorted(), [
      'deleted notes.txt',
      'modified runbooks/web.md',
    ]);
    assert.match(changed.diff, /-two\n\+three/);
    assert.equal(await contentOf('runbooks/web.md'), 'one\nthree\n');
    assert.equal(await contentOf('notes.txt'), undefined);
  });

  it('change nothing when they are only proposed', async () => {
    const before = await (await workspace()).head();
    const proposed = await editor('proposes', { mode: 'propose' });
    assert.equal(proposed.status, 'proposed');
    assert.equal(proposed.commit, null);
    assert.match(proposed.diff, /\+p/);
    assert.equal(await (await workspace()).head(), before);
  });

  it('that change nothing are no commit', async () => {
    const before = await (await workspace()).head();
    const looked = await editor('looks');
    assert.equal(looked.status, 'unchanged');
    assert.equal(looked.commit, null);
    assert.equal(await (await workspace()).head(), before);
  });

  it('are a conflict when somebody changed what was read meanwhile, and then nothing is written', async () => {
    const files = await workspace();
    const base = { author: { name: 'Ann', email: 'ann@example.org' }, date: new Date() };
    const change = async (content: string) =>
      files.commit({
        ...base,
        base: await files.head(),
        changes: [{ path: 'shared.md', content }],
        message: 'Change it',
        key: crypto.randomUUID(),
      });
    await change('base\n');
    const edited = editor('conflicts');
    await chats.harness.model.waitForHold('conflict');
    await change('base of others\n');
    chats.harness.model.release('conflict');
    const { status, conflicts, commit } = await edited;
    assert.equal(status, 'conflict');
    assert.deepEqual(conflicts, ['shared.md']);
    assert.equal(commit, null);
    assert.equal(await contentOf('shared.md'), 'base of others\n');
  });

  it('are discarded with a turn that fails', async () => {
    const before = await (await workspace()).head();
    const messages = [{ role: 'user', content: ask('fails') }];
    assert.equal((await chats.call('POST', '/api/chat-editor', { messages })).status, 502);
    assert.equal(await (await workspace()).head(), before);
    assert.equal(await contentOf('half.md'), undefined);
  });

  it('cannot leave the workspace', async () => {
    const { status, chat_id: id } = await editor('escapes');
    assert.equal(status, 'unchanged');
    const calls = (await chats.detail(id)).messages.at(-1)!.turn!.tool_calls;
    assert.deepEqual(
      calls.map((call) => call.is_error),
      [true, true, true],
    );
  });

  it('stream like a chat, with the changes as a part', async () => {
    const messages = [{ role: 'user', content: ask('proposes') }];
    const path = '/api/chat-editor?stream=true';
    const streamed = await readEvents(await chats.fetch('POST', path, { messages, mode: 'propose' }));
    assert.equal(streamed.text, 'Proposed.');
    const part = streamed.chunks.find(({ type }) => type === 'data-changes') as unknown as { data: Edited };
    assert.equal(part.data.status, 'proposed');
    assert.equal(part.data.paths[0]?.path, 'proposal.md');
  });

  it('need a key that may write the workspace', async () => {
    const key = await chats.key('chats:write');
    const messages = [{ role: 'user', content: ask('creates') }];
    assert.equal((await chats.call('POST', '/api/chat-editor', { messages }, { key })).status, 403);
  });

  it('are not possible in an ordinary chat, unless key and chat allow side effects', async () => {
    await chats.say(ask('chatty'));
    assert.equal(await contentOf('from-chat.md'), undefined);
    const offered = chats.requests('chatty')[0]!.body.tools!.map(({ name }) => name);
    assert.ok(offered.includes('read_file') && !offered.includes('create_file'));
    await chats.say(ask('chatty'), { allow_side_effects: true });
    assert.equal(await contentOf('from-chat.md'), 'x\n');
  });
});
