/** Watches the body of a server's HTTP response as it passes: it could be endless. */
import { QueryError } from '@casebook/connectors';

const NEWLINE = 10;
const CARRIAGE_RETURN = 13;

/** Counts the bytes of a whole body, or of each event of an event stream (events end with a blank line). */
function createCounter(events: boolean): (chunk: Uint8Array) => number {
  let bytes = 0;
  let lineIsEmpty = true;
  return (chunk) => {
    bytes += chunk.length;
    if (!events) return bytes;
    let start = 0;
    for (let end = chunk.indexOf(NEWLINE); end !== -1; end = chunk.indexOf(NEWLINE, start)) {
      if (lineIsEmpty && isEmpty(chunk, start, end)) bytes = chunk.length - end - 1;
      lineIsEmpty = true;
      start = end + 1;
    }
    lineIsEmpty &&= isEmpty(chunk, start, chunk.length);
    return bytes;
  };
}

/** Whether the line is empty or holds only the first half of a line break. */
function isEmpty(chunk: Uint8Array, start: number, end: number): boolean {
  return end === start || (end === start + 1 && chunk[start] === CARRIAGE_RETURN);
}

interface BoundedBodyOptions {
  /** Maximum size of the whole body, or of each event of an event stream. */
  maxBytes: number;
  /** Maximum size of the whole body, if that is not the same. */
  maxTotalBytes?: number;
  /** Whether it is an event stream. */
  events: boolean;
  /**
   * Called once, when the body has ended or failed. A returned text is appended and the body then ends normally;
   * without one, a failure stays a failure.
   */
  onEnd?: (failure: unknown) => string | undefined;
}

/** @returns the same bytes; fails with a {@link QueryError} `too_large` beyond the limit */
export function boundedBody(
  body: ReadableStream<Uint8Array>,
  { maxBytes, maxTotalBytes = Infinity, events, onEnd }: BoundedBodyOptions,
): ReadableStream<Uint8Array> {
  const reader = body.getReader();
  const count = createCounter(events);
  let total = 0;
  const finish = (controller: ReadableStreamDefaultController<Uint8Array>, failure: unknown): void => {
    const last = onEnd?.(failure);
    if (failure !== undefined && last === undefined) {
      controller.error(failure);
      return;
    }
    if (last !== undefined) controller.enqueue(Buffer.from(last));
    controller.close();
  };
  return new ReadableStream<Uint8Array>({
    async pull(controller) {
      try {
        const { done, value } = await reader.read();
        if (done) {
          finish(controller, undefined);
          return;
        }
        if (count(value) > maxBytes) {
          throw new QueryError('too_large', `The MCP server sent more than ${maxBytes} bytes in one message.`);
        }
        total += value.length;
        if (total > maxTotalBytes) {
          throw new QueryError('too_large', `The MCP server sent more than ${maxTotalBytes} bytes in one stream.`);
        }
        controller.enqueue(value);
      } catch (error) {
        reader.cancel(error).catch(() => undefined);
        finish(controller, error ?? new Error('The body failed.'));
      }
    },
    cancel: (reason) => reader.cancel(reason),
  });
}
