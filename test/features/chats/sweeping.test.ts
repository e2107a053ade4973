import assert from 'node:assert/strict';
import { waitUntil } from '../../support/wait-until.ts';
import { sweepChats } from '../../../src/features/chats/index.ts';
import { ask, Chats, type Lines } from './support.ts';

const lines: Record<string, Lines> = {
  plain: [{ text: 'Yes.' }],
  late: [{ text: 'Better late.' }],
  lost: [{ text: 'A word that is lost.', deltaCharacters: 3, hold: { gate: 'lost', at: 'middle' } }],
  slow: [{ text: 'At last.', hold: { gate: 'slow', at: 'start' } }],
};

describe('the sweeper of chats', () => {
  let chats: Chats;
  let usual: Chats['harness']['api']['deps']['chats']['launcher'];
  before(async () => {
    chats = await Chats.start({ lines });
    usual = chats.harness.api.deps.chats.launcher;
  });
  afterEach(() => {
    chats.harness.api.deps.chats.launcher = usual;
  });
  after(() => chats?.stop());

  const sweep = (options: { graceMs?: number; silenceMs?: number } = {}): Promise<number> =>
    sweepChats(chats.harness.api.deps.chats, { graceMs: 60_000, silenceMs: 60_000, batch: 100, ...options });
  /** Waits for the note in the row that Temporal took the start. */
  const taken = (chatId: string): Promise<true> =>
    waitUntil(async () => (await chats.turns(chatId)).at(-1)!.startedAt !== null || undefined, {
      what: 'the start of the turn',
      intervalMs: 10,
    });
  const away = (): Promise<never> => Promise.reject(new Error('Temporal is away'));

  it('leaves turns alone that run or have ended', async () => {
    await chats.say(ask('plain'));
    const { chatId, whole } = await chats.begin(ask('slow'));
    await chats.harness.model.waitForHold('slow');
    await taken(chatId);
    assert.equal(await sweep(), 0);
    assert.equal(await sweep({ silenceMs: -1_000 }), 1, 'it asks Temporal about one that is silent');
    assert.equal((await chats.detail(chatId)).running, true);
    chats.harness.model.release('slow');
    await whole;
  });

  it('starts a turn that was committed and that Temporal did not take; who waits for it gets its answer', async () => {
    chats.harness.api.deps.chats.launcher = { ...usual, start: away };
    const { chatId, whole } = await chats.begin(ask('late'));
    const [turn] = await chats.turns(chatId);
    assert.deepEqual([turn?.status, turn?.startedAt], ['processing', null]);
    assert.equal(await sweep({ graceMs: -1_000 }), 1, 'which Temporal still does not take');
    chats.harness.api.deps.chats.launcher = usual;
    assert.equal(await sweep(), 0, 'it is too early to act');
    const sweeps = await Promise.all([sweep({ graceMs: -1_000 }), sweep({ graceMs: -1_000 })]);
    assert.ok(sweeps.includes(1));
    assert.equal((await whole).text, 'Better late.');
    assert.equal(chats.requests('late').length, 1);
    assert.equal((await chats.turns(chatId)).length, 1);
  });

  it('starts a turn again that Temporal does not know any more', async () => {
    chats.harness.api.deps.chats.launcher = { ...usual, start: async () => undefined };
    const { chatId, whole } = await chats.begin(ask('late'));
    chats.harness.api.deps.chats.launcher = usual;
    await taken(chatId);
    assert.equal(await sweep({ silenceMs: -1_000 }), 1);
    assert.equal((await whole).text, 'Better late.');
    assert.equal((await chats.ended(chatId)).status, 'completed');
  });

  it('records a turn that ended silently in Temporal, and its chat continues', async () => {
    const { chatId, turnId, whole } = await chats.begin(ask('lost'));
    await chats.harness.model.waitForHold('lost');
    await taken(chatId);
    await chats.harness.temporal.workflow.getHandle(`chat-turn-${turnId}`).terminate('a test');
    assert.equal(await sweep({ silenceMs: -1_000 }), 1);
    const { chunks, text } = await whole;
    assert.equal(text, '', 'what was never stored is taken back');
    assert.deepEqual(
      chunks.slice(-2).map(({ type }) => type),
      ['error', 'finish'],
    );
    const turn = await chats.ended(chatId);
    assert.equal(turn.status, 'failed');
    assert.match(turn.explanation ?? '', /ended in Temporal without recording its result \(terminated\)/);
    assert.equal((await chats.say(ask('plain'), { chat_id: chatId })).response, 'Yes.');
    chats.harness.model.release('lost');
    assert.equal(await sweep({ silenceMs: -1_000 }), 0);
    const { messages } = await chats.detail(chatId);
    assert.deepEqual(
      messages.map(({ role, turn: answer }) => [role, answer?.text]),
      [
        ['user', undefined],
        ['assistant', ''],
        ['user', undefined],
        ['assistant', 'Yes.'],
      ],
    );
  });
});
