import type { Subscription } from './nudges.ts';
import type { LogEvent } from './port.ts';

/** The next events of a stream, bounded in number and bytes. */
export interface Page {
  events: LogEvent[];
  /** Whether the page ended at its bound rather than at the end of the stream. */
  more: boolean;
}

/** Maximum events per page of a tail. */
export const pageEvents = 256;
/** Bytes of data at which a page ends; it includes the event that reaches this. */
export const pageBytes = 256 * 1024;

const firstPauseMs = 100;
const longestPauseMs = 1_000;

/**
 * Turns pages and nudges into a tail. It reads a page only when the consumer has taken the one before, so a slow
 * consumer costs one page of memory; it retries a failed read with growing pauses, from the last event it yielded.
 * @param options.subscribe called once per iteration; the iteration closes the subscription
 * @param options.readPage events after an id; called again if it rejects
 */
export function follow(options: {
  afterId: string | undefined;
  signal: AbortSignal;
  subscribe: () => Subscription;
  readPage: (afterId: string | undefined) => Promise<Page>;
}): AsyncIterable<LogEvent> {
  return {
    [Symbol.asyncIterator]() {
      const subscription = options.subscribe();
      const events = iterate(subscription, options);
      return {
        next: () => events.next(),
        // A generator would first finish its pending `next`, which may wait for an event that never comes.
        return: () => {
          subscription.close();
          return events.return(undefined);
        },
      };
    },
  };
}

async function* iterate(
  subscription: Subscription,
  options: Pick<Parameters<typeof follow>[0], 'afterId' | 'signal' | 'readPage'>,
): AsyncGenerator<LogEvent, undefined> {
  const close = () => subscription.close();
  options.signal.addEventListener('abort', close, { once: true });
  if (options.signal.aborted) close();
  let last = options.afterId;
  let pauseMs = firstPauseMs;
  try {
    while (await subscription.wait()) {
      let more = true;
      while (more && !subscription.closed) {
        let page: Page | undefined;
        try {
          page = await subscription.unlessClosed(options.readPage(last));
          pauseMs = firstPauseMs;
        } catch {
          // The log reports its outage itself, once rather than per tail.
          await subscription.pause(pauseMs);
          pauseMs = Math.min(pauseMs * 2, longestPauseMs);
          continue;
        }
        for (const event of page?.events ?? []) {
          if (subscription.closed) return undefined;
          last = event.id;
          yield event;
        }
        more = page?.more ?? false;
      }
    }
  } finally {
    options.signal.removeEventListener('abort', close);
    subscription.close();
  }
  return undefined;
}
