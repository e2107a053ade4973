import type { Subscription } from './nudges.ts';
import type { LogEvent } from './port.ts';

/** The next events of a stream, bounded in number and bytes. */
export interface Page {
  events: LogEvent[];
  /** Whether the page ended at its bound rather than at the end of the stream. */
  more: boolean;
}

/** Most events of one page of a tail. */
export const pageEvents = 256;
/** Bytes of data after which a page ends; the event that reaches it is still in the page. */
export const pageBytes = 256 * 1024;

const firstPauseMs = 100;
const longestPauseMs = 1_000;

/**
 * Turns pages and nudges into a tail. A page is read only when the consumer has taken the one before, so a slow consumer
 * costs one page of memory; a failed read is repeated after a growing pause from the last event given out.
 * @param options.subscribe called once per iteration; the iteration closes the subscription
 * @param options.readPage events after an id; may reject, then it is called again
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
        // A generator would finish its pending `next` first, which may wait for an event that never comes.
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
          // The log reports its outage itself, once and not per tail.
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
