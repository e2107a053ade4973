import type { EventLog, LogEvent, NewEvent } from '../../platform/event-log/port.ts';
import type { SseEvent } from '../../http/sse.ts';
import { conversationStream, FINAL_EVENT_TYPES, stateEvent } from '../runs/index.ts';
import type { Investigation } from './entities.ts';

/** The last event of a run; its key makes it the same one, whoever appends it. */
export function endEvent({ status, alertSummary, limitReached }: Investigation): NewEvent {
  return stateEvent(`run.${status}`, 'run:ended', { status, alertSummary, limit: limitReached });
}

/** How often a follower looks whether the run has ended without its last event. */
const END_CHECK_MS = 5_000;

export interface RunEventsOptions {
  /** The last event the client has seen. */
  afterId?: string;
  /** Reads the row. */
  current: () => Promise<Investigation>;
  /** Called before the run's last event is given out. */
  onEnd: () => void;
  signal: AbortSignal;
  checkMs?: number;
}

/**
 * The events of a run from a point on, ending with the run. The row decides when a run has ended: a crash, or a log that
 * was away, may have come between the row and its last event, so whoever reads the stream appends what is missing.
 */
export async function* runEvents(
  log: EventLog,
  conversationId: string,
  options: RunEventsOptions,
): AsyncGenerator<SseEvent> {
  const stream = conversationStream(conversationId);
  const { afterId, current, onEnd, signal, checkMs = END_CHECK_MS } = options;
  const completeStream = async (): Promise<boolean> => {
    const row = await current();
    if (row.status === 'processing') return false;
    await log.append(stream, [endEvent(row)]);
    return true;
  };
  const ended = await completeStream();
  // A failed check is repeated; what it would have appended arrives then.
  const checking = ended ? undefined : setInterval(() => void completeStream().catch(() => undefined), checkMs);
  try {
    const found = ended ? everything(log, stream, afterId) : log.tail(stream, { afterId, signal });
    for await (const { id, type, data, at } of found) {
      const last = FINAL_EVENT_TYPES.has(type);
      if (last) onEnd();
      yield { id, event: type, data: { ...data, at: at.toISOString() } };
      if (last) return;
    }
  } finally {
    clearInterval(checking);
  }
}

async function* everything(log: EventLog, stream: string, from: string | undefined): AsyncGenerator<LogEvent> {
  for (let afterId = from; ;) {
    const page = await log.read(stream, { afterId, limit: 500 });
    yield* page;
    const last = page.at(-1);
    if (!last) return;
    afterId = last.id;
  }
}
