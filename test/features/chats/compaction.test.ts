import assert from 'node:assert/strict';
import { z } from 'zod';
import { anyTeam } from '../../../src/db/team-filter.ts';
import { defineTool } from '../../../src/features/tools/tool.ts';
import { AuxiliaryCall, Conversation } from '../../../src/features/transcripts/index.ts';
import type { RecordedRequest, ScriptedStep } from '../../support/scripted-model/index.ts';
import { ask, Chats, type Lines } from './support.ts';

/** A result that fills a good part of what may stay when a transcript is compacted. */
const LARGE = (topic: string): string => `${topic} begins. ${'0123456789'.repeat(1_400)} ${topic} ends.`;
const fetchLarge = defineTool({
  name: 'fetch_large',
  description: 'Returns much about a topic.',
  input: z.strictObject({ topic: z.string() }),
  summarize: ({ topic }) => `Fetch ${topic}`,
  run: async ({ topic }) => ({ content: LARGE(topic), digest: `much about ${topic}` }),
});

/** So many tokens that the next step is preceded by a summary. */
const full = { input_tokens: 50_000 };
const fetches = (...topics: string[]): ScriptedStep => ({
  text: `I fetch ${topics.join(' and ')}.`,
  toolUses: topics.map((topic) => ({ name: 'fetch_large', input: { topic }, id: `toolu_${topic}` })),
});
const hasSummary = (request: unknown): boolean => JSON.stringify(request).includes('<summary>');

const lines: Record<string, Lines> = {
  first: [fetches('alpha', 'beta'), { text: 'Alpha is fine [1], beta is not [2].', usage: full }],
  again: [
    { toolUses: [{ name: 'read_tool_result', input: { evidence: 1, search: 'alpha ends' }, id: 'toolu_again' }] },
    { text: 'As I said [1].' },
  ],
  plain: [{ text: 'Yes.' }],
  parallel: [{ ...fetches('eta', 'theta'), usage: full }, { text: 'Both are fine.' }],
  busy: [{ text: 'Busy, but yes.' }],
  // Each step fills the transcript again, so that it is compacted twice within the turn.
  within: ({ request }) => {
    const text = JSON.stringify(request.messages);
    const next = ['gamma', 'delta', 'epsilon', 'zeta'].find(
      (topic) => !text.includes(`I fetch ${topic}.`) && !text.includes(`SUMMARY-OF-${topic}`),
    );
    return next ? { ...fetches(next), usage: full } : { text: 'All of it is known.' };
  },
};

describe('a chat that becomes long', () => {
  let chats: Chats;
  /** How the model answers when it is to summarise. */
  let summarise: (request: RecordedRequest['body'], attempt: number) => ScriptedStep;
  before(async () => {
    chats = await Chats.start({
      lines,
      tools: [fetchLarge],
      tasks: { chat_summary: ({ request, attempt }) => summarise(request, attempt) },
      // A history has few steps: what is known of the length goes along into the next.
      budget: { compactAtTokens: 40_000, stepsPerHistory: 2 },
    });
  });
  beforeEach(() => {
    summarise = () => ({ text: 'Alpha was fine [1]. Beta was broken [2].', usage: { input_tokens: 1_000 } });
  });
  after(() => chats?.stop());

  const conversationOf = (chatId: string): Promise<Conversation> =>
    chats.harness.database.orm.em.fork().findOneOrFail(Conversation, { id: chatId }, anyTeam);
  const summariesOf = (chatId: string): Promise<AuxiliaryCall[]> =>
    chats.harness.database.orm.em.fork().find(AuxiliaryCall, { conversationId: chatId, purpose: 'summary' }, anyTeam);
  const textOf = (request: RecordedRequest | undefined): string => JSON.stringify(request?.body.messages);

  it('is summarised before a turn, once; the chat itself stays whole and its evidence readable', async () => {
    const { chat_id: id } = await chats.say(ask('first'));
    const before = await chats.detail(id);
    const asked = chats.tasks('chat_summary').length;
    assert.equal((await chats.say(ask('again'), { chat_id: id })).response, 'As I said [1].');

    assert.equal(chats.tasks('chat_summary').length, asked + 1);
    const task = textOf(chats.tasks('chat_summary').at(-1));
    for (const part of [ask('first'), 'I fetch alpha and beta.', 'much about alpha'])
      assert.ok(task.includes(part), part);

    const [request, afterTool] = chats.requests('again').slice(-2);
    const sent = textOf(request);
    for (const part of ['<summary>', 'Alpha was fine [1]', 'Alpha is fine [1], beta is not [2].', ask('again')]) {
      assert.ok(sent.includes(part), part);
    }
    for (const part of ['0123456789', ask('first')]) assert.ok(!sent.includes(part), part);
    assert.equal(request?.body.messages[0]?.role, 'user');

    assert.ok(textOf(afterTool).includes('alpha ends'), 'evidence of before can be read');
    const after = await chats.detail(id);
    assert.deepEqual(after.messages.slice(0, 2), before.messages, 'nothing is lost for people');
    assert.equal(after.messages.at(-1)!.turn?.tool_calls[0]?.evidence, 3);
    assert.equal(after.messages.at(-1)!.turn?.citations[0]?.tool_call_id, before.messages[1]!.turn!.tool_calls[0]!.id);

    const [call] = await summariesOf(id);
    assert.deepEqual([call?.inputTokens, call?.outputTokens], [1_000, 20]);
    assert.ok(call && call.costUsd > 0);
  });

  it('is summarised no more often than necessary', async () => {
    const { chat_id: id } = await chats.say(ask('first'));
    await chats.say(ask('plain'), { chat_id: id });
    const asked = chats.tasks('chat_summary').length;
    await chats.say(ask('plain'), { chat_id: id });
    await chats.say(ask('plain'), { chat_id: id });
    assert.equal(chats.tasks('chat_summary').length, asked);
    assert.equal((await summariesOf(id)).length, 1);
    const sent = textOf(chats.requests('plain').at(-1));
    assert.ok(sent.includes('Alpha was fine [1]'), 'the summary stays');
    assert.equal(sent.split(ask('plain')).length - 1, 3, 'and what came after it');
  });

  it('is summarised within a turn, as often as it must; the question and the newest results stay', async () => {
    let made = 0;
    summarise = (request) => {
      made += 1;
      const text = JSON.stringify(request.messages);
      const known = ['gamma', 'delta', 'epsilon', 'zeta'].filter(
        (topic) => text.includes(`I fetch ${topic}.`) || text.includes(`SUMMARY-OF-${topic}`),
      );
      return { text: known.map((topic) => `SUMMARY-OF-${topic}`).join(' ') };
    };
    const { response } = await chats.say(ask('within', 'What of all the Greek letters?'));
    assert.match(response, /All of it is known\.$/);
    assert.ok(made >= 2, `${made} summaries`);
    const requests = chats.requests('within');
    for (const { body } of requests) {
      assert.ok(JSON.stringify(body.messages).includes('What of all the Greek letters?'), 'what is to be answered');
    }
    for (const [at, topic] of ['gamma', 'delta', 'epsilon', 'zeta'].entries()) {
      const next = textOf(requests[at + 1]);
      assert.ok(
        next.includes(`${topic} begins`) && next.includes(`${topic} ends`),
        `${topic} is seen by the next step`,
      );
    }
    assert.ok(requests.some(({ body }) => hasSummary(body.messages)));
  });

  it('keeps what no step has read yet, however much it is', async () => {
    assert.equal((await chats.say(ask('parallel'))).response, 'I fetch eta and theta.\n\nBoth are fine.');
    const next = textOf(chats.requests('parallel')[1]);
    for (const part of ['eta begins', 'eta ends', 'theta begins', 'theta ends']) assert.ok(next.includes(part), part);
  });

  it('continues with an extract when no model can summarise it', async () => {
    summarise = () => ({ error: { status: 400, type: 'invalid_request_error', message: 'No.' } });
    const { chat_id: id } = await chats.say(ask('first'));
    await chats.say(ask('plain'), { chat_id: id });
    const sent = textOf(chats.requests('plain').at(-1));
    for (const part of ['<summary>', ask('first'), 'Alpha is fine [1], beta is not [2].', 'much about beta']) {
      assert.ok(sent.includes(part), part);
    }
    assert.ok(!sent.includes('0123456789'));
    assert.deepEqual(await summariesOf(id), []);
  });

  it('continues with an extract when the summary is empty', async () => {
    for (const step of [{}, { text: ' \n' }, { stopReason: 'refusal' }] as const) {
      summarise = () => step;
      const { chat_id: id } = await chats.say(ask('first'));
      await chats.say(ask('plain'), { chat_id: id });
      assert.ok((await conversationOf(id)).summary?.includes('much about beta'), JSON.stringify(step));
    }
  });

  it('has a summary that is paid for once, also when it was not noted before something broke', async () => {
    const { chat_id: id } = await chats.say(ask('first'));
    await chats.say(ask('plain'), { chat_id: id });
    const asked = chats.tasks('chat_summary').length;
    const em = chats.harness.database.orm.em.fork();
    const unnoted = { summary: null, summaryThroughStep: 0, contextTokens: 50_000 };
    await em.nativeUpdate(Conversation, { id }, unnoted, anyTeam);
    await chats.say(ask('plain'), { chat_id: id });
    assert.equal(chats.tasks('chat_summary').length, asked);
    assert.ok(textOf(chats.requests('plain').at(-1)).includes('Alpha was fine [1]'));
  });

  it('asks for its summary again when the model was busy, and pays for it once', async () => {
    const busy: ScriptedStep = {
      error: { status: 529, type: 'overloaded_error', message: 'Busy.', headers: { 'retry-after-ms': '20' } },
    };
    summarise = (_request, attempt) => (attempt === 0 ? busy : { text: 'A summary at last.' });
    const { chat_id: id } = await chats.say(ask('first', 'when it is busy'));
    await chats.say(ask('busy'), { chat_id: id });
    assert.ok(textOf(chats.requests('busy').at(-1)).includes('A summary at last.'));
    assert.equal((await summariesOf(id)).length, 1);
  });
});
