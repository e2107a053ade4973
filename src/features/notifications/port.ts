/** What is sent, and how sending it goes. */
import type { OutboundError } from '../../platform/outbound/index.ts';

/** What is said, before it is put into a channel's own form. Text may come from telemetry: channels escape it. */
export interface NotificationMessage {
  /** What happened, in a word that programs tell notifications by. */
  event: string;
  /** Who reports it; people read the title. */
  sender: { id: string; title: string };
  severity: 'info' | 'warning' | 'critical';
  /** What it was about is over. */
  isOver?: boolean;
  /** Those who do not follow the thread should see it as well. */
  isBroadcast?: boolean;
  /** One line. */
  title: string;
  /** Plain text, a few lines. */
  text: string;
  /** Markdown of a report, where there is one. */
  markdown?: string;
  /** Where a person can look. */
  links: { label: string; url: string }[];
  /** Unix milliseconds. */
  at: number;
  /** Members of their own that webhooks get. */
  data?: Record<string, unknown>;
}

/** Ties notifications together at the receiver (a Slack thread's ts, a mail's Message-ID). */
export type ThreadRef = Record<string, string>;

/** A channel took it. */
export interface Delivered {
  /** For the next notification that belongs to it. */
  thread?: ThreadRef;
  /** One line for operators: where it went, and under which id. */
  receipt: string;
}

/** The channel did not take it. */
export class DeliveryError extends Error {
  override name = 'DeliveryError';
  /** Whether trying again can help. */
  readonly retryable: boolean;
  /** What the receiver asked to wait, ms. */
  readonly retryAfterMs: number | undefined;

  constructor(message: string, options: { retryable: boolean; retryAfterMs?: number; cause?: unknown }) {
    super(message, { cause: options.cause });
    this.retryable = options.retryable;
    this.retryAfterMs = options.retryAfterMs;
  }
}

export interface Delivery {
  /** The same for every attempt: receivers tell repetitions by it. */
  idempotencyKey: string;
  /** From 1. */
  attempt: number;
  message: NotificationMessage;
  /** Of the first notification on this channel that it belongs to. */
  thread?: ThreadRef;
  signal: AbortSignal;
}

/** Sends to one channel. @throws {DeliveryError} */
export type SendNotification = (delivery: Delivery) => Promise<Delivered>;

/** No receiver may put a notification off for longer. */
const MAX_RETRY_AFTER_MS = 3_600_000;

/** Statuses by which an HTTP server asks to try again: time-out, conflict (it works on the first attempt), early, limit, its own fault. */
export const isRetryableStatus = (status: number): boolean => [408, 409, 425, 429].includes(status) || status >= 500;

/** A request that was not answered. The messages of outbound errors are fit for people. */
export const fromOutbound = (error: OutboundError): DeliveryError =>
  new DeliveryError(error.message, { retryable: error.failure !== 'refused' && error.failure !== 'redirect' });

/**
 * The value of Retry-After (RFC 9110, 10.2.3: seconds or a date), in milliseconds; undefined where there is none to heed.
 * @param now unix milliseconds
 */
export function retryAfterMs(value: string | null, now: number): number | undefined {
  if (value === null) return undefined;
  const ms = /^\d{1,9}$/.test(value.trim()) ? Number(value) * 1_000 : Date.parse(value) - now;
  return Number.isFinite(ms) && ms > 0 ? Math.min(ms, MAX_RETRY_AFTER_MS) : undefined;
}
