/**
 * How a chat of the AI SDK talks to our API. Chunks are handed on one at a time, and only when the chat has taken in the
 * one before: so the id of the last event is always that of one it shows, and a connection that breaks loses nothing.
 */
import { HttpChatTransport, type UIMessage, type UIMessageChunk } from 'ai';
import { createParser } from 'eventsource-parser';
import { ApiError, csrfHeaders, errorOf } from '../../api/client.ts';
import { SILENT_MS } from '../../components/live/back-off.ts';
import { requestFor, type Asked } from './asked.ts';

/** What a message carries beside its parts. */
export interface ChatMetadata {
  /** Of what a person says: how it is asked. */
  asked?: Asked;
  chatId?: string;
  status?: string;
  limit?: string | null;
}
export type ChatMessage = UIMessage<ChatMetadata>;

const DONE = '[DONE]';
/** The message by which the SDK knows a lost connection. */
const lost = (): TypeError => new TypeError('network error');

export class ChatTransport extends HttpChatTransport<ChatMessage> {
  /** Of the last event that the chat has taken in; undefined: the next stream begins at its start. */
  lastEventId: string | undefined;
  private readonly onStart: (chatId: string, turnId: string) => void;

  /** @param onStart told what the chat is called that answers */
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

  /** Asked by the SDK: whether a stream that is resumed repeats what was shown. */
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
            // A server that stops ends its streams before they are over.
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

/** @throws what the SDK knows as a lost connection, also when nothing has come for long */
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
