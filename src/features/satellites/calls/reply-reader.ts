/** Assembles an answer from its events. Pure. */
import type { AnswerError } from '@casebook/wire';
import type { ReplyEvent } from './reply-stream.ts';

export type ReplyState =
  | { state: 'waiting' }
  | { state: 'answered'; text: string; tookMs: number }
  | { state: 'refused'; code: AnswerError; message: string }
  /** The connection used by the latest attempt is gone. */
  | { state: 'dropped' };

interface Attempt {
  to?: { connectionId: string; instance: string };
  parts: string[];
  /** Number of parts that have arrived; there may be gaps between them. */
  received: number;
  end?: { parts: number; tookMs: number };
  error?: { code: AnswerError; message: string };
  dropped: boolean;
}

/** A complete answer of any attempt is the answer; otherwise the latest attempt decides. */
export class ReplyReader {
  readonly #attempts = new Map<number, Attempt>();

  add(attempt: number, event: ReplyEvent): void {
    const about = this.#attempts.get(attempt) ?? { parts: [], received: 0, dropped: false };
    this.#attempts.set(attempt, about);
    switch (event.type) {
      case 'sent':
        about.to = event;
        break;
      case 'part':
        if (about.parts[event.index] === undefined) about.received++;
        about.parts[event.index] = event.text;
        break;
      case 'end':
        about.end = event;
        break;
      case 'error':
        about.error = event;
        break;
      case 'dropped':
        about.dropped = true;
        break;
    }
  }

  /** How often the request was sent, and where to the last time. */
  get sent(): { attempts: number; to?: { connectionId: string; instance: string } } {
    const attempts = Math.max(0, ...this.#attempts.keys());
    return { attempts, to: this.#attempts.get(attempts)?.to };
  }

  /** Whether the outcome is final: an answer, or a refusal. */
  get isOver(): boolean {
    const { state } = this.state();
    return state === 'answered' || state === 'refused';
  }

  state(): ReplyState {
    for (const { end, parts, received } of this.#attempts.values())
      if (end && received === end.parts) return { state: 'answered', text: parts.join(''), tookMs: end.tookMs };
    const newest = this.#attempts.get(this.sent.attempts);
    if (newest?.error) return { state: 'refused', ...newest.error };
    return { state: newest?.dropped ? 'dropped' : 'waiting' };
  }
}
