import assert from 'node:assert/strict';
import { createHash, randomUUID } from 'node:crypto';
import { z } from 'zod';
import type { UiChunk } from '../../../src/features/chats/stream/chunks.ts';
import { defineTool } from '../../../src/features/tools/tool.ts';
import type { ScriptedStep } from '../../support/scripted-model/index.ts';
import { sampleIncident } from '../../support/telemetry-source.ts';
import { ask, Chats, type Detail, type Lines } from './support.ts';

const LONG = `${'A line of a long result.\r\n'.repeat(2_000)}\u{1f600}`;

/** Answers only once it is let go. */
class Latch {
  readonly entered = Promise.withResolvers<void>();
  readonly released = Promise.withResolvers<void>();
  readonly tool = defineTool({
    name: 'wait_here',
    description: 'Waits.',
    input: z.strictObject({}),
    summarize: () => 'Wait',
    run: async () => {
      this.entered.resolve();
      await this.released.promise;
      return { content: LONG, digest: 'waited' };
    },
  });
}

const usage = { input_tokens: 10, output_tokens: 5, cache_read_input_tokens: 3, cache_creation_input_tokens: 2 };
const look: ScriptedStep = {
  thinking: 'Let me see.',
  text: 'I look at both.',
  usage,
  toolUses: [
    { name: 'list_services', input: { source: 'shop' } },
    { name: 'list_services', input: { source: 'nowhere' } },
    { name: 'no_such_tool', input: { x: 1 } },
  ],
};

const lines: Record<string, Lines> = {
  look: [look, { text: 'The services [1] are known; [2] says no, [7] nothing.', usage }],
  plain: [{ text: 'Yes.' }],
  wait: [{ text: 'I wait.', toolUses: [{ name: 'wait_here' }] }, { text: 'Done [1].' }],
  thinking: [{ text: 'Hm.', hold: { gate: 'thinking', at: 'start' } }],
};

/** The parts that a client puts together from a stream. */
function partsOf(chunks: readonly UiChunk[]): Detail['messages'][number]['parts'] {
  const parts: Detail['messages'][number]['parts'] = [];
  const call = (id: string) => parts.find(({ toolCallId }) => toolCallId === id)!;
  for (const chunk of chunks) {
    if (chunk.type === 'text-start' || chunk.type === 'reasoning-start') {
      parts.push({ type: chunk.type.replace('-start', ''), text: '', state: 'done' });
    } else if (chunk.type === 'text-delta' || chunk.type === 'reasoning-delta') parts.at(-1)!.text += chunk.delta;
    else if (chunk.type === 'tool-input-available') {
      const { toolCallId, toolName, title, input } = chunk;
      parts.push({ type: `tool-${toolName}`, toolCallId, title, input, state: 'input-available' });
    } else if (chunk.type === 'tool-output-available') {
      Object.assign(call(chunk.toolCallId), { state: 'output-available', output: chunk.output });
    } else if (chunk.type === 'tool-output-error') {
      Object.assign(call(chunk.toolCallId), { state: 'output-error', errorText: chunk.errorText });
    }
  }
  return parts;
}

describe('a chat, read', () => {
  const latch = new Latch();
  let chats: Chats;
  before(async () => {
    chats = await Chats.start({ lines, sources: [sampleIncident()], tools: [latch.tool] });
  });
  after(() => chats?.stop());

  it('has the parts that were streamed, the calls, the citations and the usage', async () => {
    const { chunks, text } = await chats.stream(ask('look'), {}, { include: 'tools' });
    const [start] = chunks;
    assert.ok(start?.type === 'start');
    const { messages, running, run, has_earlier: earlier } = await chats.detail(start.chatId);
    assert.deepEqual([running, run, earlier, messages.length], [false, null, false, 2]);
    const [question, answer] = messages;
    assert.deepEqual(question?.parts, [{ type: 'text', text: ask('look'), state: 'done' }]);
    assert.deepEqual(answer?.parts, partsOf(chunks));
    const turn = answer.turn!;
    assert.deepEqual([turn.status, turn.text, turn.number], ['completed', text, 1]);
    assert.deepEqual(
      turn.tool_calls.map((call) => [call.evidence, call.name, call.status, call.is_error]),
      [
        [1, 'list_services', 'completed', false],
        [2, 'list_services', 'completed', true],
        [3, 'no_such_tool', 'completed', true],
      ],
    );
    assert.deepEqual(
      turn.citations.map(({ n, tool_call_id: id, sha256 }) => [n, id, sha256]),
      [...turn.tool_calls.slice(0, 2).map(({ id, sha256 }, at) => [at + 1, id, sha256]), [7, null, null]],
    );
    assert.deepEqual(
      { ...turn.usage, cost: 0, model: '' },
      {
        input_tokens: 20,
        output_tokens: 10,
        cache_read_input_tokens: 6,
        cache_creation_input_tokens: 4,
        cost: 0,
        model: '',
        api_calls_count: 2,
      },
    );
  });

  it('shows how far the turn is that runs', async () => {
    const { chatId, turnId, whole } = await chats.begin(ask('thinking'));
    await chats.harness.model.waitForHold('thinking');
    const { running, run, messages } = await chats.detail(chatId);
    assert.equal(running, true);
    assert.deepEqual([run?.turn_id, run?.phase, run?.step], [turnId, 'thinking', 1]);
    assert.equal(run?.stream_url, `/api/chat/${chatId}/stream`);
    const answer = messages.at(-1)!;
    assert.deepEqual([answer.id, answer.parts, answer.turn?.status], [turnId, [], 'processing']);
    chats.harness.model.release('thinking');
    await whole;
    assert.equal((await chats.detail(chatId)).run, null);
  });

  it('has the calls that are under way, and what came before them', async () => {
    const { chatId, whole } = await chats.begin(ask('wait'));
    await latch.entered.promise;
    const { run, messages } = await chats.detail(chatId);
    assert.equal(run?.phase, 'using_tools');
    const [text, call] = messages.at(-1)!.parts;
    assert.equal(text?.text, 'I wait.');
    assert.deepEqual([call?.type, call?.state], ['tool-wait_here', 'input-available']);
    const id = call!.toolCallId!;
    const pending = await chats.call('GET', `/api/tool-results/${id}`);
    assert.equal(pending.status, 200);
    const { status, content, sha256 } = pending.body as { status: string; content: unknown; sha256: unknown };
    assert.deepEqual([status, content, sha256], ['pending', null, null]);
    latch.released.resolve();
    await whole;
    const [, done] = (await chats.detail(chatId)).messages.at(-1)!.parts;
    assert.deepEqual(done?.output, {
      evidence: 1,
      digest: 'waited',
      bytes: Buffer.byteLength(LONG),
      resultUrl: `/api/tool-results/${id}`,
    });
  });

  it('comes in parts when it is long, the newest turns first', async () => {
    const { chat_id: id } = await chats.say(ask('look'));
    for (const name of ['plain', 'look', 'plain']) await chats.say(ask(name), { chat_id: id });
    const numbers = async (query: string): Promise<[(number | undefined)[], boolean]> => {
      const { messages, has_earlier: earlier } = await chats.detail(id, query);
      assert.equal(messages.length % 2, 0, 'every answer has its question');
      return [messages.flatMap(({ turn }) => turn?.number ?? []), earlier];
    };
    assert.deepEqual(await numbers(''), [[1, 2, 3, 4], false]);
    assert.deepEqual(await numbers('?turns=2'), [[3, 4], true]);
    assert.deepEqual(await numbers('?turns=2&before=3'), [[1, 2], false]);
    assert.deepEqual(await numbers('?turns=1&before=3'), [[2], true]);
    assert.deepEqual(await numbers('?before=1'), [[], false]);
    const whole = (await chats.detail(id)).messages;
    const inParts = [
      ...(await chats.detail(id, '?turns=3&before=4')).messages,
      ...(await chats.detail(id, '?turns=1')).messages,
    ];
    assert.deepEqual(inParts, whole);
    for (const query of ['?turns=0', '?turns=501', '?before=0', '?before=x']) {
      assert.equal((await chats.call('GET', `/api/chat/${id}${query}`)).status, 422, query);
    }
  });

  describe('and its tool results', () => {
    interface Result {
      content: string;
      characters: number;
      next_offset: number | null;
      sha256: string;
      bytes: number;
      conversation_id: string;
      evidence: number;
      tool: string;
    }
    const read = async (id: string, query = '', key?: string): Promise<Result> => {
      const { status, body } = await chats.call('GET', `/api/tool-results/${id}${query}`, undefined, { key });
      assert.equal(status, 200, JSON.stringify(body));
      return body;
    };
    /** The one call of a new chat. */
    const waited = async (): Promise<{ chatId: string; id: string }> => {
      latch.released.resolve();
      const { chat_id: chatId } = await chats.say(ask('wait'));
      return { chatId, id: (await chats.detail(chatId)).messages.at(-1)!.turn!.tool_calls[0]!.id };
    };

    it('can be read whole, and in pages', async () => {
      const { chatId, id } = await waited();
      const whole = await read(id);
      assert.deepEqual(
        [whole.content, whole.characters, whole.next_offset, whole.tool, whole.evidence, whole.conversation_id],
        [LONG, LONG.length, null, 'wait_here', 1, chatId],
      );
      assert.equal(whole.bytes, Buffer.byteLength(LONG));
      assert.equal(whole.sha256, createHash('sha256').update(LONG).digest('hex'));
      let content = '';
      for (let offset: number | null = 0; offset !== null;) {
        const page = await read(id, `?offset=${offset}&limit=7001`);
        assert.equal(page.sha256, whole.sha256);
        content += page.content;
        offset = page.next_offset;
      }
      assert.equal(content, LONG);
      const beyond = await read(id, `?offset=${LONG.length + 5}`);
      assert.deepEqual([beyond.content, beyond.next_offset], ['', null]);
      for (const query of ['?offset=-1', '?limit=0', '?limit=1000001', '?offset=x']) {
        assert.equal((await chats.call('GET', `/api/tool-results/${id}${query}`)).status, 422, query);
      }
    });

    it('need the scope of what they were found in', async () => {
      const { id: ofChat } = await waited();
      const investigation = await chats.harness.investigate(ask('look'));
      await chats.harness.untilEnded(investigation);
      const { steps } = (await chats.call('GET', `/api/investigations/${investigation}`)).body as {
        steps: { tool_calls: { id: string }[] }[];
      };
      const ofInvestigation = steps[0]!.tool_calls[0]!.id;
      const keys = {
        chats: await chats.key('chats:read'),
        investigations: await chats.key('investigations:read'),
        neither: await chats.key('chats:write', 'investigations:write', 'team:read'),
        both: await chats.key('chats:read', 'investigations:read'),
      };
      const status = async (key: string, id: string): Promise<number> =>
        (await chats.call('GET', `/api/tool-results/${id}`, undefined, { key })).status;
      const unknown = randomUUID();
      const statuses: Record<string, number[]> = {};
      for (const [name, key] of Object.entries(keys)) {
        statuses[name] = [await status(key, ofChat), await status(key, ofInvestigation), await status(key, unknown)];
      }
      assert.deepEqual(statuses, {
        chats: [200, 403, 404],
        investigations: [403, 200, 404],
        neither: [403, 403, 403],
        both: [200, 200, 404],
      });
      assert.equal(await status(await chats.otherTeam(), ofChat), 404);
    });
  });
});
