import { createParser } from 'eventsource-parser';

/**
 * What is between a client of event streams and the API: it remembers the id of the last event that came, and can be
 * cut, of which clients hear as they do in a browser.
 */
export class Wire {
  lastEventId: string | undefined;
  requests: { method: string; url: string; lastEventId: string | null }[] = [];
  #cut: (() => void) | undefined;

  /** Breaks the connection there is. */
  cut(): void {
    this.#cut?.();
  }

  readonly fetch: typeof fetch = async (input, init) => {
    const headers = new Headers(init?.headers);
    const url = input instanceof Request ? input.url : String(input);
    this.requests.push({ method: init?.method ?? 'GET', url, lastEventId: headers.get('last-event-id') });
    const response = await fetch(input, init);
    const reader = response.body?.getReader();
    if (!reader) return response;
    const decoder = new TextDecoder();
    const parser = createParser({ onEvent: ({ id }) => (this.lastEventId = id ?? this.lastEventId) });
    const body = new ReadableStream<Uint8Array>({
      start: (controller) => {
        this.#cut = () => {
          // What Chromium says; Node would say "terminated", which the SDK does not know as a lost connection.
          controller.error(new TypeError('network error'));
          void reader.cancel().catch(() => undefined);
        };
      },
      async pull(controller) {
        try {
          const { done, value } = await reader.read();
          if (done) return controller.close();
          parser.feed(decoder.decode(value, { stream: true }));
          controller.enqueue(value);
        } catch {
          controller.error(new TypeError('network error'));
        }
      },
      cancel: (reason) => reader.cancel(reason),
    });
    return new Response(body, response);
  };
}
