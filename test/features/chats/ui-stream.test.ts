import assert from 'node:assert/strict';
import { Readable } from 'node:stream';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import fc from 'fast-check';
import type { UiChunk } from '../../../src/features/chats/stream/chunks.ts';
import { messageText, textDigest } from '../../../src/features/chats/stream/message-text.ts';
import { UiStream, type UiStreamOptions } from '../../../src/features/chats/stream/ui-stream.ts';
import { spokenDigest, type SpokenPart } from '../../../src/features/runs/index.ts';
import type { EventData, LogEvent } from '../../../src/platform/event-log/port.ts';
import { StreamReader } from './reading.ts';

/** A turn as its activities publish it: any number of attempts of each step, of which one is stored. */
class PublishedTurn {
  readonly events: LogEvent[] = [];
  readonly stored = new Map<number, SpokenPart[]>();
  private nonces = 0;

  add(type: string, data: EventData): void {
    this.events.push({ id: String(this.events.length + 1), type, data, at: new Date() });
  }

  start(step: number): string {
    const nonce = `n${(this.nonces += 1)}`;
    this.add('turn.started', { step, attempt: this.nonces, nonce });
    return nonce;
  }

  say(step: number, nonce: string, pieces: readonly Piece[]): void {
    for (const piece of pieces) {
      if (piece.kind === 'tool') this.add('tool.requested', { step, nonce, name: 'x' });
      else this.add(`${piece.kind}.delta`, { step, nonce, text: piece.text });
    }
  }

  complete(step: number, parts: SpokenPart[]): void {
    this.stored.set(step, parts);
    this.add('turn.completed', { step, spoken: spokenDigest(parts), toolCalls: [] });
  }

  end(status: string): void {
    this.add(`run.${status}`, { status, textDigest: textDigest(this.text), citations: [], explanation: 'why' });
  }

  /** The log loses events; never the last one, which whoever follows the stream appends. */
  lose(places: readonly number[]): void {
    const kept = this.events.filter((_, place) => place === this.events.length - 1 || !places.includes(place));
    this.events.splice(0, Infinity, ...kept);
  }

  get text(): string {
    return messageText([...this.stored.values()].flat());
  }
}

type Piece = { kind: 'text' | 'thinking' | 'tool'; text: string };

/** Neighbouring pieces of one kind are one part, as in a stored answer. */
function partsOf(pieces: readonly Piece[]): SpokenPart[] {
  const parts: SpokenPart[] = [];
  let broken = true;
  for (const { kind, text } of pieces) {
    const last = parts.at(-1);
    if (kind === 'tool') broken = true;
    else if (last && !broken && last.kind === kind) last.text += text;
    else parts.push({ kind, text });
    if (kind !== 'tool') broken = false;
  }
  return parts;
}

interface Played extends StreamReader {
  chunks: UiChunk[];
  /** Whether the words were needed on the way. */
  neededWords: boolean;
  /** Whether they could be had each time. */
  hadWords: boolean;
}

/** Plays a turn as whoever follows it does: without keeping words for as long as that goes, or with them from the start. */
async function play(
  turn: PublishedTurn,
  tools: boolean,
  words: Pick<UiStreamOptions, 'keepsWords' | 'mostWords'> = { keepsWords: false },
): Promise<Played> {
  const options = { messageId: 'm', chatId: 'c', firstStep: 1, tools };
  let ui = new UiStream({ ...options, ...words });
  const chunks: UiChunk[] = [];
  const played = Object.assign(new StreamReader(), { chunks, neededWords: false, hadWords: true });
  const give = (chunk: UiChunk): void => {
    played.take(chunk);
    chunks.push(chunk);
  };
  for (const [at, event] of turn.events.entries()) {
    if (ui.needsWords(event)) {
      const again = await ui.withWords(() => Readable.from(turn.events.slice(0, at)));
      played.neededWords = true;
      if (!again) played.hadWords = false;
      if (again) ui = again;
      else for (const chunk of ui.takeBack()) give(chunk);
    }
    const missing = ui.missing(event);
    const isMissing = (step: number): boolean => step >= missing!.from && step <= (missing!.through ?? Infinity);
    const stored = missing && new Map([...turn.stored].filter(([step]) => isMissing(step)));
    for (const chunk of ui.take(event, stored)) give(chunk);
  }
  return played;
}

const text = (value: string): Piece => ({ kind: 'text', text: value });

describe('a UI message stream', () => {
  it('gives reasoning and text as parts that begin and end', async () => {
    const turn = new PublishedTurn();
    const pieces: Piece[] = [{ kind: 'thinking', text: 'hm' }, text('The '), text('cause')];
    turn.say(1, turn.start(1), pieces);
    turn.complete(1, partsOf(pieces));
    turn.end('completed');
    const { types, text: shown } = await play(turn, false);
    assert.equal(shown, 'The cause');
    assert.deepEqual(types, [
      'reasoning-start',
      'reasoning-delta',
      'reasoning-end',
      'text-start',
      'text-delta',
      'text-delta',
      'text-end',
      'finish',
    ]);
  });

  it('shows no seam where a repeated attempt says the same', async () => {
    const turn = new PublishedTurn();
    turn.say(1, turn.start(1), [text('The cause is '), text('the po')]);
    const whole = [text('The cause is the pool of '), text('connections')];
    turn.say(1, turn.start(1), whole);
    turn.complete(1, partsOf(whole));
    turn.end('completed');
    const { types, text: shown } = await play(turn, false);
    assert.equal(shown, 'The cause is the pool of connections');
    assert.equal(types.includes('reset-step'), false);
    assert.equal(types.filter((type) => type === 'text-start').length, 1);
  });

  it('takes back what a repeated attempt says differently', async () => {
    for (const tools of [false, true]) {
      const turn = new PublishedTurn();
      turn.say(1, turn.start(1), [text('First I look.')]);
      turn.complete(1, partsOf([text('First I look.')]));
      turn.say(2, turn.start(2), [text('It is the database')]);
      const other = [text('It is the '), text('cache')];
      turn.say(2, turn.start(2), other);
      turn.complete(2, partsOf(other));
      turn.end('completed');
      const { types, text: shown } = await play(turn, tools);
      assert.equal(shown, 'First I look.\n\nIt is the cache');
      assert.equal(types.filter((type) => type === 'reset-step').length, 1);
    }
  });

  it('does not hear an attempt that was thought lost, and yet ends with its words if they were stored', async () => {
    const turn = new PublishedTurn();
    const lost = turn.start(1);
    turn.say(1, lost, [text('lost ')]);
    turn.say(1, turn.start(1), [text('found')]);
    turn.say(1, lost, [text('words')]);
    turn.complete(1, partsOf([text('lost words')]));
    turn.end('completed');
    assert.equal((await play(turn, false)).text, 'lost words');
  });

  it('takes back the words of a turn that never became complete', async () => {
    const turn = new PublishedTurn();
    turn.say(1, turn.start(1), [text('I begin to say')]);
    turn.end('failed');
    const { types, text: shown } = await play(turn, false);
    assert.equal(shown, '');
    assert.deepEqual(types.slice(-2), ['error', 'finish']);
  });

  it('ends a cancelled turn with abort, and keeps what was said', async () => {
    const turn = new PublishedTurn();
    turn.say(1, turn.start(1), [text('Half a sen')]);
    turn.complete(1, partsOf([text('Half a sen')]));
    turn.end('cancelled');
    const { types, text: shown } = await play(turn, false);
    assert.equal(shown, 'Half a sen');
    assert.deepEqual(types.slice(-2), ['abort', 'finish']);
  });

  it('says everything again when the log has lost it', async () => {
    const turn = new PublishedTurn();
    turn.stored.set(1, [{ kind: 'text', text: 'kept in the database' }]);
    turn.end('completed');
    assert.equal((await play(turn, false)).text, 'kept in the database');
  });

  it('marks steps and shows tools only to those who ask', async () => {
    const turn = new PublishedTurn();
    turn.say(1, turn.start(1), [text('I look.'), { kind: 'tool', text: '' }]);
    turn.add('turn.completed', {
      step: 1,
      spoken: spokenDigest(partsOf([text('I look.')])),
      toolCalls: [{ id: 'call', evidence: 1, name: 'promql', summary: 'Query', input: { query: 'up' } }],
    });
    turn.stored.set(1, partsOf([text('I look.')]));
    turn.add('tool.started', { id: 'call' });
    turn.add('tool.completed', { id: 'call', evidence: 1, isError: false, digest: '1 series', bytes: 10 });
    turn.say(2, turn.start(2), [text('Up.')]);
    turn.complete(2, partsOf([text('Up.')]));
    turn.end('completed');
    assert.deepEqual((await play(turn, true)).types, [
      'start-step',
      'text-start',
      'text-delta',
      'text-end',
      'tool-input-available',
      'tool-output-available',
      'finish-step',
      'start-step',
      'text-start',
      'text-delta',
      'text-end',
      'finish-step',
      'data-citations',
      'finish',
    ]);
    const plain = new Set((await play(turn, false)).types);
    assert.deepEqual(plain, new Set(['text-start', 'text-delta', 'text-end', 'finish']));
  });

  const piece: fc.Arbitrary<Piece> = fc.oneof(
    { weight: 6, arbitrary: fc.constantFrom('a', 'b', 'ab', ' ').map(text) },
    { weight: 1, arbitrary: fc.constantFrom('a', 'b').map((value): Piece => ({ kind: 'thinking', text: value })) },
    { weight: 1, arbitrary: fc.constant<Piece>({ kind: 'tool', text: '' }) },
  );
  const pieces = fc.array(piece, { maxLength: 8 });
  const step = fc.record({
    cutOff: fc.array(pieces, { maxLength: 3 }),
    whole: pieces,
    /** How much of the stored attempt was seen; less than all when it was another one that was stored. */
    seen: fc.nat({ max: 8 }),
    late: pieces,
    /** The time was up before an answer was stored. */
    givenUp: fc.boolean(),
  });

  const published = fc
    .tuple(fc.array(step, { maxLength: 4 }), fc.boolean(), pieces)
    .map(([steps, ends, begun]): PublishedTurn => {
      const turn = new PublishedTurn();
      for (const [index, { cutOff, whole, seen, late, givenUp }] of steps.entries()) {
        const number = index + 1;
        const lost = turn.start(number);
        for (const attempt of cutOff) turn.say(number, turn.start(number), attempt);
        turn.say(number, lost, late);
        turn.say(number, turn.start(number), whole.slice(0, Math.max(seen, 4)));
        if (givenUp) continue;
        turn.complete(number, partsOf(whole));
        turn.say(number, lost, late);
      }
      if (begun.length > 0) turn.say(steps.length + 1, turn.start(steps.length + 1), begun);
      turn.end(ends ? 'completed' : 'failed');
      return turn;
    });

  it('needs the words of a turn only when something of it is begun again or given up', async () => {
    const turn = new PublishedTurn();
    for (const step of [1, 2]) {
      const said = [{ kind: 'thinking' as const, text: 'hm' }, text(`Step ${step}, `), text('done.')];
      turn.say(step, turn.start(step), said);
      turn.complete(step, partsOf(said));
    }
    const events = [...turn.events];
    turn.end('completed');
    assert.equal((await play(turn, false)).neededWords, false);

    for (const more of [() => turn.start(3), () => turn.start(4), () => turn.end('cancelled')]) {
      turn.events.splice(0, Infinity, ...events);
      turn.say(3, turn.start(3), [text('Half')]);
      more();
      assert.equal((await play(turn, false)).neededWords, true);
    }
  });

  it('always leaves the client with the text that is stored, whatever attempts came between', async () => {
    const check = async (turn: PublishedTurn, tools: boolean): Promise<void> =>
      assert.equal((await play(turn, tools)).text, turn.text);
    await fc.assert(fc.asyncProperty(published, fc.boolean(), check), { numRuns: 1_500 });
  });

  const holes = fc.array(fc.nat({ max: 40 }), { maxLength: 12 });

  it('and whatever events the log has lost', async () => {
    await fc.assert(
      fc.asyncProperty(published, holes, fc.boolean(), async (turn, lost, tools) => {
        turn.lose(lost);
        assert.equal((await play(turn, tools)).text, turn.text);
      }),
      { numRuns: 3_000 },
    );
  });

  it('says the same whether it keeps the words from the start or takes them up when they are needed', async () => {
    await fc.assert(
      fc.asyncProperty(published, holes, fc.boolean(), async (turn, lost, tools) => {
        turn.lose(lost);
        assert.deepEqual((await play(turn, tools)).chunks, (await play(turn, tools, { keepsWords: true })).chunks);
      }),
      { numRuns: 3_000 },
    );
  });

  it('and if the text is too long to keep: the restarted part is retracted', async () => {
    let takenBack = 0;
    await fc.assert(
      fc.asyncProperty(published, holes, fc.boolean(), fc.boolean(), async (turn, lost, tools, keepsWords) => {
        turn.lose(lost);
        const played = await play(turn, tools, { keepsWords, mostWords: 3 });
        assert.equal(played.text, turn.text);
        if (!played.hadWords) takenBack += 1;
      }),
      { numRuns: 3_000 },
    );
    assert.ok(takenBack > 0, `${takenBack} took back what they had shown`);
  });

  it('splits large texts into small pieces, never within a character', async () => {
    const long = `${'a'.repeat(15_999)}${'😀'.repeat(20_000)}`;
    const turn = new PublishedTurn();
    turn.stored.set(1, [{ kind: 'text', text: long }]);
    turn.end('completed');
    const { chunks, text: shown } = await play(turn, false);
    assert.equal(shown, long);
    const deltas = chunks.flatMap((chunk) => (chunk.type === 'text-delta' ? [chunk.delta] : []));
    assert.equal(deltas.length, 4);
    for (const delta of deltas) assert.ok(delta.length <= 16_000 && delta.isWellFormed());
  });

  it('shares the stored words that it gives among all who follow, in whatever part they are', () => {
    setFlagsFromString('--expose-gc');
    const gc: () => void = runInNewContext('gc');
    const held = (): number => {
      gc();
      gc();
      return process.memoryUsage().heapUsed;
    };
    const parts: SpokenPart[] = [
      { kind: 'text', text: 'I look.' },
      { kind: 'text', text: 'word '.repeat(800_000) },
    ];
    const end = {
      id: '1',
      type: 'run.completed',
      data: { textDigest: textDigest(messageText(parts)) },
      at: new Date(),
    };
    const before = held();
    const given = Array.from({ length: 12 }, () => {
      const ui = new UiStream({ messageId: 'm', chatId: 'c', firstStep: 1, tools: false, keepsWords: false });
      return [...ui.take(end, new Map([[1, parts]]))];
    });
    const grown = held() - before;
    assert.ok(grown < 8_000_000, `${grown} bytes for ${given.length} who follow`);
    assert.ok(given.every((chunks) => chunks.length > 250));
  });

  it('tells of no result whose call the log has lost', async () => {
    const turn = new PublishedTurn();
    turn.start(1);
    turn.stored.set(1, partsOf([text('I look.')]));
    turn.add('tool.completed', { id: 'call', evidence: 1, isError: false, digest: '1 series', bytes: 10 });
    turn.say(2, turn.start(2), [text('Up.')]);
    turn.complete(2, partsOf([text('Up.')]));
    turn.end('completed');
    const { types, text: shown } = await play(turn, true);
    assert.equal(shown, 'I look.\n\nUp.');
    assert.ok(!types.some((type) => type.startsWith('tool-')));
  });
});
