/** The stream of one turn as server-sent events: from its start or a later position, live or long after its end. */
import type { EntityManager } from '../../../db/orm.ts';
import type { SseEvent } from '../../../http/streams/sse.ts';
import type { EventLog, LogEvent } from '../../../platform/event-log/port.ts';
import { followRun, runStream } from '../../runs/index.ts';
import { untilReachable } from '../../../db/reach.ts';
import { ChatTurn } from '../entities.ts';
import { recordedEnd } from './end.ts';
import { withCharts } from '../turns/charts.ts';
import { DONE, type UiChunk } from './chunks.ts';
import { eventId, START, type StreamPosition } from './event-id.ts';
import { holdWords } from './stored-words.ts';
import { UiStream } from './ui-stream.ts';

export type FollowedTurn = Pick<ChatTurn, 'id' | 'chatId' | 'firstStep'>;

interface FollowTurnOptions {
  turn: FollowedTurn;
  tools: boolean;
  /** The last event the client has seen. */
  after?: StreamPosition;
  /** A fresh entity manager of the turn's team. */
  em: () => EntityManager;
  signal: AbortSignal;
  checkMs?: number;
}

/**
 * The stream is always replayed from its first event, because what comes depends on what came; the part the client has
 * seen is not sent. If the log no longer knows the position, everything is sent after a reset.
 */
export async function* followTurn(log: EventLog, options: FollowTurnOptions): AsyncGenerator<SseEvent> {
  const { turn, after, em, checkMs } = options;
  const deleted = new AbortController();
  const signal = AbortSignal.any([options.signal, deleted.signal]);
  const { chatId, firstStep } = turn;
  const form = { messageId: turn.id, chatId, firstStep, tools: options.tools };
  let ui = new UiStream({ ...form, keepsWords: false });
  const stream = runStream({ conversationId: turn.chatId, runId: turn.id });
  const playback = new Playback(turn.id, after, await knowsPosition(log, turn, after));
  yield* playback.give(START, [ui.start(), ...playback.lost()]);
  const ending = async () => {
    const end = await recordedEnd(em(), turn.id);
    // Its events are deleted with it, so nothing else would end this.
    if (end === 'deleted') deleted.abort(new Error('The chat was deleted.'));
    return typeof end === 'string' ? undefined : end;
  };
  for await (const event of followRun(log, stream, { ending, signal, checkMs })) {
    if (ui.needsWords(event)) {
      const before = () => firstEvents(log, stream, { until: event.id, count: playback.place });
      const again = await untilReachable(() => ui.withWords(before).catch(unlessLost), signal);
      if (again) ui = again;
      else for (const chunk of ui.takeBack()) yield* playback.add(chunk);
    }
    const missing = ui.missing(event);
    const words = missing && (await untilReachable(() => holdWords(em, turn, missing), signal));
    try {
      const chunks = [...ui.take(event, words?.value)];
      yield* playback.give(event.id, await untilReachable(() => withCharts(em, chunks), signal));
    } finally {
      words?.release();
    }
  }
  if (options.signal.aborted) return;
  if (deleted.signal.aborted) yield* playback.add({ type: 'abort', reason: 'The chat was deleted.' });
  yield* playback.done();
}

/**
 * Like {@link followTurn}; for a client that has seen the whole turn, continues with the newest turn of the chat if
 * there is one. A client that reconnects whenever a stream ends, as a browser's EventSource does, thus meets the next
 * turn.
 */
export async function* followChatTurns(log: EventLog, options: FollowTurnOptions): AsyncGenerator<SseEvent> {
  let isAtEnd = true;
  for await (const event of followTurn(log, options)) {
    isAtEnd = false;
    yield event;
  }
  if (!isAtEnd || options.signal.aborted) return;
  const { id, chatId } = options.turn;
  const [newest] = await options.em().find(ChatTurn, { chatId }, { orderBy: { number: 'desc' }, limit: 1 });
  if (newest && newest.id !== id) yield* followTurn(log, { ...options, turn: newest, after: undefined });
}

/** Sends what the client has not seen. */
class Playback {
  private readonly turnId: string;
  private skipTo: StreamPosition | undefined;
  private readonly isLost: boolean;
  private last: StreamPosition = { logId: START, index: 0, place: 0 };
  /** How many log events were processed. */
  place = 0;
  /** The log event of which the client has seen more chunks than exist. */
  private seenBeyond: string | undefined;

  constructor(turnId: string, after: StreamPosition | undefined, known: boolean) {
    this.turnId = turnId;
    this.skipTo = known ? after : undefined;
    this.isLost = !known;
  }

  /** Takes back the text of a client whose position is unknown. */
  lost(): UiChunk[] {
    return this.isLost ? [{ type: 'reset-step' }] : [];
  }

  *give(logId: string, chunks: UiChunk[]): Generator<SseEvent> {
    if (logId !== START) this.place += 1;
    for (const [at, chunk] of chunks.entries()) {
      this.last = { logId, index: at + 1, place: this.place };
      if (this.skipTo === undefined) yield this.event(chunk);
      else if (this.skipTo.logId === logId && this.skipTo.index <= at + 1) this.skipTo = undefined;
    }
    if (this.skipTo?.logId !== logId) return;
    this.skipTo = undefined;
    this.seenBeyond = logId;
  }

  /** A chunk without a log event. */
  *add(chunk: UiChunk): Generator<SseEvent> {
    this.last = { ...this.last, index: this.last.index + 1 };
    if (this.skipTo === undefined) yield this.event(chunk);
  }

  /** The end goes beyond the chunks of the last log event. */
  *done(): Generator<SseEvent> {
    if (this.seenBeyond === this.last.logId) return;
    this.last = { ...this.last, index: this.last.index + 1 };
    yield this.event(DONE);
  }

  private event(data: UiChunk | typeof DONE): SseEvent {
    return { id: eventId(this.turnId, this.last), data };
  }
}

/** What the log lost cannot be compared with what is stored. */
class EventsLost extends Error {
  override name = 'EventsLost';
}

function unlessLost(error: unknown): undefined {
  if (!(error instanceof EventsLost)) throw error;
}

/**
 * What was sent before an event.
 * @throws {EventsLost} if the log has lost some of it
 */
async function* firstEvents(
  log: EventLog,
  stream: string,
  { until, count }: { until: string; count: number },
): AsyncGenerator<LogEvent> {
  let given = 0;
  for (let afterId: string | undefined; given < count;) {
    const page = await log.read(stream, { afterId, limit: Math.min(PAGE, count - given) });
    if (page.length === 0 || page.some(({ id }) => id === until))
      throw new EventsLost('The log has lost events of a turn.');
    yield* page;
    given += page.length;
    afterId = page.at(-1)?.id;
  }
}

/** As in {@link followRun}, so that many simultaneous reconnects cost little memory. */
const PAGE = 100;

/** Whether the log has the last event the client saw, and as many events before it as the client was told. */
export async function knowsPosition(
  log: EventLog,
  { id: runId, chatId: conversationId }: FollowedTurn,
  after: StreamPosition | undefined,
): Promise<boolean> {
  const stream = runStream({ conversationId, runId });
  if (after === undefined || after.logId === START) return true;
  let before = 0;
  for (let afterId: string | undefined; ;) {
    const page: LogEvent[] = await log.read(stream, { afterId, limit: PAGE });
    const at = page.findIndex((event) => event.id === after.logId);
    if (at >= 0) return after.place === undefined || before + at + 1 === after.place;
    before += page.length;
    afterId = page.at(-1)?.id;
    if (page.length < PAGE) return false;
  }
}
