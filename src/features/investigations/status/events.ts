import type { SseEvent } from '../../../http/streams/sse.ts';
import type { EventLog, NewEvent } from '../../../platform/event-log/port.ts';
import { conversationStream, FINAL_EVENT_TYPES, followRun, stateEvent, isOpen } from '../../runs/index.ts';
import type { Investigation } from '../entities.ts';
import { errorOf } from '../failure.ts';

/** The last event of a run; its key makes it the same one, whoever appends it. */
export function endEvent(row: Investigation): NewEvent {
  const { status, alertSummary, limitReached } = row;
  const error = errorOf(row);
  return stateEvent(`run.${status}`, 'run:ended', {
    status,
    alertSummary,
    limit: limitReached,
    ...(error && { code: error.code }),
  });
}

/** The last event of a run that has ended. */
export function endingOf(row: Investigation): NewEvent | undefined {
  return isOpen(row.status) ? undefined : endEvent(row);
}

interface RunEventsOptions {
  /** The last event the client has seen. */
  afterId?: string;
  /** Reads the row. */
  current: () => Promise<Investigation>;
  /** Called before the run's last event is sent. */
  onEnd: () => void;
  signal: AbortSignal;
}

/** The events of an investigation from a position on, ending with the run; see {@link followRun}. */
export async function* runEvents(
  log: EventLog,
  conversationId: string,
  { current, onEnd, ...options }: RunEventsOptions,
): AsyncGenerator<SseEvent> {
  const ending = async (): Promise<NewEvent | undefined> => endingOf(await current());
  for await (const event of followRun(log, conversationStream(conversationId), { ...options, ending })) {
    if (FINAL_EVENT_TYPES.has(event.type)) onEnd();
    yield { id: event.id, event: event.type, data: { ...event.data, at: event.at.toISOString() } };
  }
}
