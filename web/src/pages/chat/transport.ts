/**
 * Connects a chat of the AI SDK to our API. Chunks are passed on one at a time, once the chat has processed the
 * previous one, so the last event id always belongs to an event it shows, and a broken connection loses nothing.
 */
import { HttpChatTransport, type UIMessage, type UIMessageChunk } from 'ai';
import { createParser } from 'eventsource-parser';
import { ApiError, csrfHeaders, errorOf } from '../../api/client.ts';
import { SILENT_MS } from '../../components/live/back-off.ts';
import { requestFor, type Asked } from './asked.ts';

/** Metadata of a message. */
export interface ChatMetadata {
  /** For a person's message: how it is sent. */
  asked?: Asked;
  chatId?: string;
  status?: string;
  limit?: string | null;
}
export type ChatMessage = UIMessage<ChatMetadata>;

const DONE = '[DONE]';
/** The message by which the SDK recognises a lost connection. */
const lost = (): TypeError => new TypeError('network error');

export class ChatTransport extends HttpChatTransport<ChatMessage> {
  /** Id of the last event the chat has processed; undefined starts the next stream from the beginning. */
  lastEventId: string | undefined;
  private readonly onStart: (chatId: string, turnId: string) => void;

  /** @param onStart called with the id of the chat that answers */
  constructor(chatId: () => string | undefined, onStart: (chatId: string, turnId: string) => void) {
    super({
      fetch: fetchOrFail,
      prepareSendMessagesRequest: ({ messages }) => {
        const asked = messages.at(-1)?.metadata?.asked;
        if (asked === undefined) throw new Error('Nothing was asked.');
        this.lastEventId = undefined;
        return {
          ...requestFor(asked, chatId()),
          headers: { ...csrfHeaders('POST'), 'idempotency-key': asked.key },
        };
      },
      prepareReconnectToStreamRequest: () => ({
        api: `/api/chat/${chatId()}/stream?include=tools`,
        headers: new Headers(this.lastEventId === undefined ? [] : [['last-event-id', this.lastEventId]]),
      }),
    });
    this.onStart = onStart;
  }

  /** Asked by the SDK: whether a resumed stream repeats what was shown. */
  get resumeStreamIsReplay(): boolean {
    return this.lastEventId === undefined;
  }

  protected override processResponseStream(body: ReadableStream<Uint8Array>): ReadableStream<UIMessageChunk> {
    const reader = body.getReader();
    const decoder = new TextDecoder();
    const waiting: { id: string | undefined; data: string }[] = [];
    const parser = createParser({ onEvent: ({ id, data }) => waiting.push({ id, data }) });
    return new ReadableStream<UIMessageChunk>(
      {
        pull: async (controller) => {
          while (waiting.length === 0) {
            const { done, value } = await readSoon(reader);
            // A server that shuts down ends its streams early.
            if (done) throw lost();
            parser.feed(decoder.decode(value, { stream: true }));
          }
          const { id, data } = waiting.shift() ?? { data: DONE };
          if (id !== undefined) this.lastEventId = id;
          if (data === DONE) return controller.close();
          // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- our own API, tested against the SDK's schema
          const chunk = JSON.parse(data) as UIMessageChunk<ChatMetadata>;
          if (chunk.type === 'start') this.onStart(chunk.messageMetadata?.chatId ?? '', chunk.messageId ?? '');
          controller.enqueue(chunk);
        },
        cancel: (reason) => reader.cancel(reason),
      },
      { highWaterMark: 0 },
    );
  }
}

/** @throws what the SDK takes for a lost connection, also after a long silence */
async function readSoon(
  reader: ReadableStreamDefaultReader<Uint8Array>,
): Promise<ReadableStreamReadResult<Uint8Array>> {
  const { promise: silence, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(lost()), SILENT_MS);
  try {
    return await Promise.race([reader.read(), silence]);
  } catch {
    void reader.cancel().catch(() => undefined);
    throw lost();
  } finally {
    clearTimeout(timer);
  }
}

/** @throws {ApiError} for anything but a success */
const fetchOrFail: typeof fetch = async (input, init) => {
  const response = await fetch(input, init);
  if (response.ok) return response;
  const body: unknown = await response.json().catch(() => undefined);
  const error = errorOf(response, body);
  const seconds = Number(response.headers.get('retry-after'));
  if (response.status !== 429 || !(seconds > 0)) throw error;
  throw new ApiError(error.status, error.code, `${error.message} Try again in ${seconds} s.`);
};
