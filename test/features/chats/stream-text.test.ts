import assert from 'node:assert/strict';
import type { ScriptedStep } from '../../support/scripted-model/index.ts';
import { sampleIncident } from '../../support/telemetry-source.ts';
import { ask, Chats, typesOf, type Lines } from './support.ts';

const look = (text: string, times = 1): ScriptedStep => ({
  thinking: `About ${text}: ${'\u{1f914}'.repeat(3)}`,
  text,
  toolUses: Array.from({ length: times }, (_, at) => ({ name: 'list_services', input: { source: 'shop', at } })),
});

/** More than an event of the log holds. */
const LONG_AT_ONCE = `${'\u0001"\\'.repeat(50_000)}.`;

/** What a model says, and where that cannot be stored as it is, what is stored and shown of it. */
const texts: Record<string, { said: string; shown?: string; deltaCharacters?: number }> = {
  emoji: { said: 'Fixed \u{1f469}‍\u{1f692} \u{1f1eb}\u{1f1f7} é\u0301 漢字 \u{1d4b3}', deltaCharacters: 3 },
  'line-breaks': { said: '\r\nA\rB\nC\u2028D\u2029E\r\n\r\n  F\t \n' },
  'looks-like-events': {
    said: 'data: x\n\nid: 5\nevent: finish\ndata: [DONE]\n\n:\n\nretry: 1\n\n',
    deltaCharacters: 2,
  },
  'looks-like-escapes': { said: String.raw`\u0000 \ud83d \\u0000 \n "}]` },
  nul: { said: 'a\0b\0', shown: 'a\ufffdb\ufffd' },
  'half-characters': { said: 'a\ud83d b\ude00 c', shown: 'a\ufffd b\ufffd c' },
  long: { said: 'A long answer. \u{1f600} '.repeat(10_000), deltaCharacters: 2_000 },
};

const lines: Record<string, Lines> = {
  ...Object.fromEntries(
    Object.entries(texts).map(([name, { said, deltaCharacters }]) => [name, [{ text: said, deltaCharacters }]]),
  ),
  'several-steps': [
    look('First the services.'),
    look('  And again,\n'),
    { toolUses: [{ name: 'list_sources' }] },
    look('\n\nOnce more', 3),
    { thinking: 'Now I know.', text: 'It is the pool [1].\n' },
  ],
  'long-at-once': [{ text: LONG_AT_ONCE, deltaCharacters: 1_000_000 }],
  'many-calls': [
    {
      text: 'All at once.',
      toolUses: Array.from({ length: 80 }, (_, at) => ({
        name: 'search_logs',
        input: { source: 'shop', text: `${at} ${'漢'.repeat(1_300)}` },
      })),
    },
    { text: 'There is nothing.' },
  ],
};

describe('the text of an answer', () => {
  let chats: Chats;
  before(async () => {
    chats = await Chats.start({ lines, sources: [sampleIncident()] });
  });
  after(() => chats?.stop());

  /** That everybody sees the same: who streams it, with and without tools, now and later, who waits, and who reads the chat. */
  const isTheSameForAll = async (name: string, shown: string): Promise<void> => {
    const live = [await chats.stream(ask(name)), await chats.stream(ask(name), {}, { include: 'tools' })];
    for (const { text, chunks, events } of live) {
      assert.equal(text, shown);
      const [start] = chunks;
      assert.ok(start?.type === 'start');
      const turn = (await chats.detail(start.chatId)).messages.at(-1)!;
      assert.equal(turn.turn?.text, shown);
      const parts = turn.parts.filter(({ type }) => type === 'text').map((part) => part.text);
      assert.equal(parts.join(''), shown);
      assert.deepEqual(
        chunks.filter(({ type }) => type === 'reset-step'),
        [],
        'nothing had to be taken back',
      );
      const include = typesOf({ chunks }).includes('start-step') ? ('tools' as const) : undefined;
      assert.deepEqual((await chats.follow(start.chatId, undefined, { include })).events, events);
    }
    const waited = await chats.say(ask(name));
    assert.equal(waited.response, shown);
    assert.equal((await chats.turns(waited.chat_id))[0]?.text, shown);
  };

  for (const [name, { said, shown = said }] of Object.entries(texts)) {
    it(`is the same for everybody (${name})`, () => isTheSameForAll(name, shown));
  }

  it('is the same for everybody (with calls between its parts)', () =>
    isTheSameForAll(
      'several-steps',
      'First the services.\n\n  And again,\n\n\n\n\nOnce more\n\nIt is the pool [1].\n',
    ));

  it('is complete even if a model sends more at once than an event holds', async () => {
    const { text, chunks } = await chats.stream(ask('long-at-once'));
    assert.ok(text === LONG_AT_ONCE);
    const [start] = chunks;
    assert.ok(start?.type === 'start');
    assert.ok((await chats.detail(start.chatId)).messages.at(-1)!.turn?.text === LONG_AT_ONCE);
    assert.equal(chats.requests('long-at-once').length, 1);
  });

  it('is complete even if a model requests more at once than an event holds', async () => {
    const { text, chunks } = await chats.stream(ask('many-calls'), {}, { include: 'tools' });
    assert.equal(text, 'All at once.\n\nThere is nothing.');
    assert.equal(chunks.filter(({ type }) => type === 'tool-input-available').length, 80);
    assert.equal(chats.requests('many-calls').length, 2);
  });
});
