/** Reads a chat's turn as a client of the API does: server-sent events in the form of the AI SDK's UI message stream. */
import { EventSourceParserStream } from 'eventsource-parser/stream';

export interface UiEvent {
  type: string;
  /** The parsed chunk. */
  chunk: Record<string, unknown>;
  /** When its bytes arrived, in milliseconds since 1970, with fractions. */
  at: number;
}

/** Unlike `Date.now()` with fractions; the same clock that other processes of this machine read. */
export const now = (): number => performance.timeOrigin + performance.now();

/**
 * The chunks of a response as they arrive, up to `[DONE]`.
 * @throws when the response is not a stream of events, or ends without `[DONE]`
 */
export async function* uiEvents(response: Response): AsyncGenerator<UiEvent> {
  if (!response.ok || !response.body) throw new Error(`The API answered ${response.status}: ${await response.text()}`);
  const events = response.body.pipeThrough(new TextDecoderStream()).pipeThrough(new EventSourceParserStream());
  let done = false;
  // To the end of the response, so that its connection serves the next request.
  for await (const { data } of events) {
    done ||= data === '[DONE]';
    if (done) continue;
    const chunk: Record<string, unknown> = JSON.parse(data);
    yield { type: String(chunk['type']), chunk, at: now() };
  }
  if (!done) throw new Error('The stream ended early.');
}
