/** The live part of a chat: a turn started here or elsewhere, until it is stored. */
import { Chat } from '@ai-sdk/react';
import { api, ApiError, dataOf } from '../../api/client.ts';
import { backOffMs } from '../../components/live/back-off.ts';
import type { Asked } from './asked.ts';
import { ChatTransport, type ChatMessage } from './transport.ts';

/** The status of the turn. */
export interface LiveState {
  phase: 'idle' | 'sending' | 'following' | 'reconnecting';
  isStopping: boolean;
  /** The message that was refused, and why. */
  refused: { asked: Asked; error: unknown } | undefined;
  /** Why the stream of a turn that may still be running has stopped. */
  broken: unknown;
  /** How many turns have ended here. */
  ended: number;
}

const AT_REST: LiveState = { phase: 'idle', isStopping: false, refused: undefined, broken: undefined, ended: 0 };

/** Whether retrying may help: not after a definite refusal. */
const mayPass = (error: unknown): boolean =>
  !(error instanceof ApiError) || error.status === 0 || error.status === 429 || error.status >= 500;

export class LiveChat {
  readonly chat: Chat<ChatMessage>;
  #chatId: string | undefined;
  #state = AT_REST;
  #onNamed: ((chatId: string) => void) | undefined;
  readonly #followed = new Set<string>();
  readonly #listeners = new Set<() => void>();
  readonly #transport: ChatTransport;
  #end: { isDisconnect: boolean } | undefined;
  #isDisposed = false;
  #wantsStop = false;
  #wake: (() => void) | undefined;

  /** @param chatId undefined for a new chat */
  constructor(chatId?: string) {
    this.#chatId = chatId;
    this.#transport = new ChatTransport(
      () => this.#chatId,
      (id, turnId) => this.#named(id, turnId),
    );
    this.chat = new Chat<ChatMessage>({
      transport: this.#transport,
      onFinish: ({ isDisconnect }) => {
        this.#end = { isDisconnect };
      },
    });
  }

  get chatId(): string | undefined {
    return this.#chatId;
  }

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };
  readonly state = (): LiveState => this.#state;

  /** Calls a listener once with the id of a new chat. @returns a function that unsubscribes */
  whenNamed(listener: (chatId: string) => void): () => void {
    this.#onNamed = listener;
    return () => {
      this.#onNamed = undefined;
    };
  }

  /** Sends a message; if it is refused, `state().refused` holds it. */
  async send(asked: Asked): Promise<void> {
    if (this.#state.phase !== 'idle') return;
    this.#set({ phase: 'sending', refused: undefined, broken: undefined });
    const before = this.chat.messages;
    this.#transport.lastEventId = undefined;
    this.#end = undefined;
    await this.chat.sendMessage({ parts: [{ type: 'text', text: asked.text }], metadata: { asked } });
    if (this.#isDisposed) return;
    if (this.chat.status === 'error' && this.#transport.lastEventId === undefined) {
      const { error } = this.chat;
      this.chat.messages = before;
      this.chat.clearError();
      this.#wantsStop = false;
      this.#set({ phase: 'idle', isStopping: false, refused: { asked, error: inWords(error) } });
      return;
    }
    await this.#untilOver();
  }

  /** Follows a turn that was started elsewhere, each one once. */
  async followTurn(turnId: string): Promise<void> {
    if (this.#state.phase !== 'idle' || this.#followed.has(turnId)) return;
    this.#followed.add(turnId);
    await this.follow();
  }

  /** Shows the running turn from its start. */
  async follow(): Promise<void> {
    if (this.#state.phase !== 'idle') return;
    this.#set({ phase: 'following', broken: undefined });
    this.#transport.lastEventId = undefined;
    this.#end = undefined;
    await this.chat.resumeStream();
    await this.#untilOver();
  }

  /** Cancels the turn, wherever it was started. @throws {ApiError} if the request fails */
  async stop(): Promise<void> {
    this.#wantsStop = true;
    this.#set({ isStopping: true });
    // There is nothing to cancel before it has started; cancel it then.
    if (this.#chatId === undefined || this.#state.phase === 'sending') return;
    this.#wantsStop = false;
    try {
      await dataOf(api.POST('/api/chat/{chat_id}/cancel', { params: { path: { chat_id: this.#chatId } } }));
    } catch (error) {
      this.#set({ isStopping: false });
      // It had already ended.
      if (error instanceof ApiError && error.code === 'no_turn_running') return;
      throw error;
    }
  }

  /** What was live is now stored and shown from there. */
  settle(): void {
    if (this.#state.phase === 'idle' && this.chat.messages.length > 0) this.chat.messages = [];
  }

  dispose(): void {
    this.#isDisposed = true;
    this.#wake?.();
    void this.chat.stop();
  }

  /** Resumes a broken stream for as long as that may help. */
  async #untilOver(): Promise<void> {
    for (let failures = 1; this.#isBroken(); failures += 1) {
      const seen = this.#transport.lastEventId;
      this.#set({ phase: 'reconnecting' });
      await this.#pause(backOffMs(failures));
      if (this.#isDisposed) return;
      this.#end = undefined;
      await this.chat.resumeStream();
      if (isPositionLost(this.chat.error)) this.#transport.lastEventId = undefined;
      else if (this.#transport.lastEventId !== seen) failures = 0;
    }
    if (this.#isDisposed) return;
    const { error } = this.chat;
    const broken = error instanceof ApiError ? error : undefined;
    this.chat.clearError();
    this.#set({ phase: 'idle', isStopping: false, broken, ended: this.#state.ended + 1 });
  }

  /** A failed turn says so in its stream and ends it. */
  #isBroken(): boolean {
    if (this.#isDisposed || this.chat.status !== 'error') return false;
    const { error } = this.chat;
    if (isPositionLost(error)) return true;
    return this.#end?.isDisconnect === true || (this.#end === undefined && mayPass(error));
  }

  #pause(ms: number): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(done, ms);
      const wake = (): void => done();
      addEventListener('online', wake);
      this.#wake = wake;
      function done(): void {
        clearTimeout(timer);
        removeEventListener('online', wake);
        resolve();
      }
    });
  }

  #named(chatId: string, turnId: string): void {
    this.#followed.add(turnId);
    if (this.#state.phase !== 'following') this.#set({ phase: 'following' });
    if (this.#chatId === undefined) {
      this.#chatId = chatId;
      this.#onNamed?.(chatId);
    }
    if (this.#wantsStop) void this.stop().catch(() => undefined);
  }

  #set(change: Partial<LiveState>): void {
    this.#state = { ...this.#state, ...change };
    for (const listener of this.#listeners) listener();
  }
}

const isPositionLost = (error: unknown): boolean => error instanceof ApiError && error.code === 'position_lost';

/** Every browser words a failed `fetch` differently. */
const inWords = (error: unknown): unknown =>
  error instanceof TypeError ? new Error('Casebook is unreachable. Your message is kept; send it again.') : error;
