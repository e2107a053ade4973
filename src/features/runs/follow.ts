import type { EventLog, LogEvent, NewEvent } from '../../platform/event-log/port.ts';
import { FINAL_EVENT_TYPES } from './events.ts';

/** How often a follower looks whether the run has ended without its last event. */
const END_CHECK_MS = 5_000;
/** Small, so that a slow reader of an ended run costs little memory. */
const PAGE_EVENTS = 100;

export interface FollowOptions {
  /** The last event that was seen. */
  afterId?: string;
  /** Reads the row. @returns the run's last event once the run has ended; its key makes it the same one, whoever appends it */
  ending: () => Promise<NewEvent | undefined>;
  signal: AbortSignal;
  checkMs?: number;
}

/**
 * The events of a run from a point on, ending with the run or, without its last event, when the signal fires. The row
 * decides when a run has ended: a crash, or a log that was away, may have come between the row and its last event, so
 * whoever reads the stream appends what is missing.
 * @throws when the row or the log cannot be reached at the beginning; later outages are waited for
 */
export async function* followRun(log: EventLog, stream: string, options: FollowOptions): AsyncGenerator<LogEvent> {
  const { afterId, ending, signal, checkMs = END_CHECK_MS } = options;
  let end: NewEvent | undefined;
  const completeStream = async (): Promise<boolean> => {
    // Read once: the row may be large, and a reader that is slow may take long until it sees the end.
    end ??= await ending();
    if (!end) return false;
    await log.append(stream, [end]);
    return true;
  };
  const ended = await completeStream();
  const stopChecking = ended ? undefined : repeat(completeStream, checkMs);
  try {
    // One who has seen the last event would wait for ever at the tail.
    const events = ended ? everything(log, stream, afterId, signal) : log.tail(stream, { afterId, signal });
    for await (const event of events) {
      yield event;
      if (FINAL_EVENT_TYPES.has(event.type)) return;
    }
  } finally {
    stopChecking?.();
  }
}

/** Checks now and then, one check at a time; a failed one is repeated like any other. @returns stops it */
function repeat(check: () => Promise<unknown>, everyMs: number): () => void {
  let timer: NodeJS.Timeout | undefined;
  let isStopped = false;
  const wait = (): void => {
    if (!isStopped) timer = setTimeout(() => void check().then(wait, wait), everyMs);
  };
  wait();
  return () => {
    isStopped = true;
    clearTimeout(timer);
  };
}

async function* everything(
  log: EventLog,
  stream: string,
  from: string | undefined,
  signal: AbortSignal,
): AsyncGenerator<LogEvent> {
  for (let afterId = from; !signal.aborted;) {
    const page = await log.read(stream, { afterId, limit: PAGE_EVENTS });
    yield* page;
    const last = page.at(-1);
    if (!last) return;
    afterId = last.id;
  }
}
