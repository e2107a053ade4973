/** The stream of one turn as server-sent events: from its beginning or from a point on, live or long after its end. */
import type { EntityManager } from '../../../db/orm.ts';
import type { SseEvent } from '../../../http/sse.ts';
import type { EventLog, LogEvent } from '../../../platform/event-log/port.ts';
import { followRun, runStream, spokenParts, untilReachable, type SpokenPart } from '../../runs/index.ts';
import { ModelTurn } from '../../transcripts/index.ts';
import { ChatTurn } from '../entities.ts';
import { modelTurnsOf } from '../model-turns.ts';
import { usageOf } from '../usage.ts';
import { withCharts } from './charts.ts';
import { DONE, type UiChunk } from './chunks.ts';
import { turnEndEvent } from './end.ts';
import { eventId, START, type StreamPosition } from './event-id.ts';
import { UiStream, type Missing } from './ui-stream.ts';

export interface FollowTurnOptions {
  turn: Pick<ChatTurn, 'id' | 'chatId'>;
  tools: boolean;
  /** The last event the client has seen. */
  after?: StreamPosition;
  /** A fresh entity manager of the turn's team. */
  em: () => EntityManager;
  signal: AbortSignal;
  checkMs?: number;
}

/**
 * The stream is played from its first event whatever the client has seen, since what comes depends on what came; the
 * part it has seen is not sent. A point that the log does not know any more is answered with everything, after a reset.
 */
export async function* followTurn(log: EventLog, options: FollowTurnOptions): AsyncGenerator<SseEvent> {
  const { turn, after, em, signal, checkMs } = options;
  const ui = new UiStream({ messageId: turn.id, chatId: turn.chatId, tools: options.tools });
  const identity = { conversationId: turn.chatId, runId: turn.id };
  const playback = new Playback(turn.id, after, await knows(log, runStream(identity), after));
  yield* playback.give(START, [ui.start(), ...playback.lost()]);
  const ending = async () => {
    const row = await em().findOneOrFail(ChatTurn, { id: turn.id });
    return row.status === 'processing' ? undefined : turnEndEvent(row, usageOf(await modelTurnsOf(em(), row)));
  };
  for await (const event of followRun(log, runStream(identity), { ending, signal, checkMs })) {
    const missing = ui.missing(event);
    const stored = missing && (await untilReachable(() => storedWords(em(), turn, missing), signal));
    const chunks = [...ui.take(event, stored)];
    yield* playback.give(event.id, await untilReachable(() => withCharts(em, chunks), signal));
  }
  if (!signal.aborted) yield* playback.done();
}

/** Gives out what the client has not seen. */
class Playback {
  private readonly turnId: string;
  private skipTo: StreamPosition | undefined;
  private readonly isLost: boolean;
  private last: StreamPosition = { logId: START, index: 0 };
  private sawDone = false;

  constructor(turnId: string, after: StreamPosition | undefined, known: boolean) {
    this.turnId = turnId;
    this.skipTo = known ? after : undefined;
    this.isLost = !known;
  }

  /** What takes back the words of a client whose point in the stream is not known. */
  lost(): UiChunk[] {
    return this.isLost ? [{ type: 'reset-step' }] : [];
  }

  *give(logId: string, chunks: UiChunk[]): Generator<SseEvent> {
    for (const [at, chunk] of chunks.entries()) {
      this.last = { logId, index: at + 1 };
      if (this.skipTo === undefined) yield { id: eventId(this.turnId, this.last), data: chunk };
      else if (this.skipTo.logId === logId && this.skipTo.index <= at + 1) this.skipTo = undefined;
    }
    if (this.skipTo?.logId !== logId) return;
    // The client has seen more of this event than it has chunks: it has seen the end of the stream.
    this.skipTo = undefined;
    this.sawDone = true;
  }

  *done(): Generator<SseEvent> {
    if (!this.sawDone) yield { id: eventId(this.turnId, { ...this.last, index: this.last.index + 1 }), data: DONE };
  }
}

const PAGE = 1_000;

/** Whether the log has the event that the client saw last. */
async function knows(log: EventLog, stream: string, after: StreamPosition | undefined): Promise<boolean> {
  if (after === undefined || after.logId === START) return true;
  for (let afterId: string | undefined; ;) {
    const page: LogEvent[] = await log.read(stream, { afterId, limit: PAGE });
    if (page.some(({ id }) => id === after.logId)) return true;
    afterId = page.at(-1)?.id;
    if (page.length < PAGE) return false;
  }
}

async function storedWords(
  em: EntityManager,
  { id, chatId }: FollowTurnOptions['turn'],
  missing: NonNullable<Missing>,
): Promise<SpokenPart[]> {
  const turns =
    missing === 'message'
      ? await modelTurnsOf(em, await em.findOneOrFail(ChatTurn, { id }))
      : await em.find(ModelTurn, { conversationId: chatId, step: missing.step });
  return turns.flatMap(({ content }) => spokenParts(content));
}
