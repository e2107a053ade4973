/** The AI SDK's own client of chats, as an app without React uses it, on a network that tests can cut. */
import { AbstractChat, DefaultChatTransport, type ChatState, type ChatStatus, type UIMessage } from 'ai';
import { waitUntil } from './wait-until.ts';
import { Wire } from './chat-wire.ts';

export type Message = UIMessage<{ chatId?: string; status?: string; usage?: unknown; limit?: string | null }>;

export interface SdkOptions {
  /** Of the API; asked for at every request. */
  url: () => string;
  apiKey: string;
  include?: 'tools';
  /** Resumes after the last event that was seen; otherwise the whole response is played again. */
  goesOn?: boolean;
}

class MemoryState implements ChatState<Message> {
  status: ChatStatus = 'ready';
  error: Error | undefined;
  messages: Message[] = [];
  pushMessage = (message: Message): void => void (this.messages = [...this.messages, message]);
  popMessage = (): void => void (this.messages = this.messages.slice(0, -1));
  replaceMessage = (index: number, message: Message): void => void (this.messages = this.messages.with(index, message));
  snapshot = structuredClone;
}

export interface Finish {
  isAbort: boolean;
  isDisconnect: boolean;
  isError: boolean;
  finishReason?: string;
}

/** A chat of the SDK over the API. */
export class SdkChat extends AbstractChat<Message> {
  readonly wire: Wire;
  /** How each response ended. */
  readonly finishes: Finish[];

  constructor({ url, apiKey, include, goesOn = false }: SdkOptions) {
    const wire = new Wire();
    const finishes: Finish[] = [];
    const query = include ? `&include=${include}` : '';
    const headers = { authorization: `Bearer ${apiKey}` };
    const chatId = (): string | undefined => this.lastMessage?.metadata?.chatId;
    super({
      state: new MemoryState(),
      onFinish: ({ isAbort, isDisconnect, isError, finishReason }) =>
        finishes.push({ isAbort, isDisconnect, isError, finishReason }),
      transport: new DefaultChatTransport<Message>({
        fetch: wire.fetch,
        resumeStreamIsReplay: !goesOn,
        prepareSendMessagesRequest: ({ messages }) => ({
          api: `${url()}/api/v1/chat?stream=true${query}`,
          headers,
          body: {
            messages: [{ role: 'user', content: textOf(messages.at(-1)) }],
            chat_id: messages.findLast(({ role }) => role === 'assistant')?.metadata?.chatId,
          },
        }),
        prepareReconnectToStreamRequest: () => ({
          api: `${url()}/api/chat/${chatId()}/stream?${query}`,
          headers: { ...headers, ...(goesOn && wire.lastEventId && { 'last-event-id': wire.lastEventId }) },
        }),
      }),
    });
    this.wire = wire;
    this.finishes = finishes;
  }

  get chatId(): string {
    const id = this.lastMessage?.metadata?.chatId;
    if (id === undefined) throw new Error('The chat has no answer yet.');
    return id;
  }

  /** The text of the last message, which is the answer once there is one. */
  get text(): string {
    return textOf(this.lastMessage);
  }

  /** Waits until the answer shows so much. */
  async shows(text: string): Promise<void> {
    const shown = (): true | undefined =>
      (this.lastMessage?.role === 'assistant' && this.text.includes(text)) || undefined;
    await waitUntil(shown, { what: `"${text}" in "${this.text}"`, intervalMs: 10 });
  }
}

/** All text parts together. */
export function textOf(message: UIMessage | undefined): string {
  return message?.parts.map((part) => (part.type === 'text' ? part.text : '')).join('') ?? '';
}
