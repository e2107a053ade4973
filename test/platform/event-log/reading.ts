import type { EventLog, LogEvent } from '../../../src/platform/event-log/index.ts';

/** A tail being read in the background. */
export interface Reading {
  readonly events: LogEvent[];
  /** Resolves when `count` events have come. */
  until(count: number): Promise<LogEvent[]>;
  /** Aborts the tail and waits for its end. */
  stop(): Promise<void>;
}

/** Starts to follow a stream. */
export function readTail(log: EventLog, stream: string, afterId?: string): Reading {
  const events: LogEvent[] = [];
  const stop = new AbortController();
  let onEvent = (): void => undefined;
  const ended = (async () => {
    for await (const event of log.tail(stream, { afterId, signal: stop.signal })) {
      events.push(event);
      onEvent();
    }
  })();
  return {
    events,
    async until(count) {
      const reached = new Promise<void>((resolve) => {
        onEvent = () => {
          if (events.length >= count) resolve();
        };
        onEvent();
      });
      await Promise.race([reached, ended]);
      return events;
    },
    async stop() {
      stop.abort();
      await ended;
    },
  };
}

/** The ids of events, to compare orders. */
export const ids = (events: readonly LogEvent[]): string[] => events.map(({ id }) => id);

let streams = 0;
/** A stream no other test uses. */
export const newStream = (): string => `test:${process.pid}:${(streams += 1)}`;
