import { EventSourceParserStream } from 'eventsource-parser/stream';

/** One event of a run, as the API streams it. */
export interface RunEvent {
  id: string;
  type: string;
  data: Record<string, unknown>;
}

const RECONNECT_MS = 500;
const FINAL = new Set(['run.completed', 'run.failed', 'run.cancelled']);

/**
 * Follows a run over the public API until it ends. A lost connection is taken up again after the last event seen, so
 * a restart of the API goes unnoticed.
 * @throws when the API refuses, or the signal fires
 */
export async function* followRun(
  url: string,
  headers: Record<string, string>,
  signal: AbortSignal,
): AsyncGenerator<RunEvent> {
  let lastId: string | undefined;
  for (;;) {
    signal.throwIfAborted();
    try {
      const resume = lastId === undefined ? {} : { 'last-event-id': lastId };
      const response = await fetch(url, { headers: { ...headers, ...resume }, signal });
      if (response.status < 500 && !response.ok) throw new RefusedError(response.status, await response.text());
      if (response.ok && response.body) {
        const events = response.body.pipeThrough(new TextDecoderStream()).pipeThrough(new EventSourceParserStream());
        for await (const { id, event, data } of events) {
          if (id === undefined || event === undefined) continue;
          lastId = id;
          const parsed: Record<string, unknown> = JSON.parse(data);
          yield { id, type: event, data: parsed };
          if (FINAL.has(event)) return;
        }
      }
    } catch (error) {
      if (error instanceof RefusedError || signal.aborted) throw error;
    }
    await new Promise((resolve) => setTimeout(resolve, RECONNECT_MS));
  }
}

/** The API answered and will not change its mind. */
class RefusedError extends Error {
  override name = 'RefusedError';
  constructor(status: number, body: string) {
    super(`The API answered ${status}: ${body.slice(0, 300)}`);
  }
}
