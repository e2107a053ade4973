/** Messages, deliveries and their outcomes. */
import type { OutboundError } from '../../platform/outbound/index.ts';

/** A message before a channel formats it. Text may come from telemetry: channels escape it. */
export interface NotificationMessage {
  /** What happened, as a keyword for programs. */
  event: string;
  /** The reporter; people read the title. */
  sender: { id: string; title: string };
  severity: 'info' | 'warning' | 'critical';
  /** The event is over. */
  isOver?: boolean;
  /** Also shown outside of the thread. */
  isBroadcast?: boolean;
  /** One line. */
  title: string;
  /** Plain text, a few lines. */
  text: string;
  /** The Markdown of a report, if any. */
  markdown?: string;
  /** Pages for further reading. */
  links: { label: string; url: string }[];
  /** What readers can do, where the channel has buttons. `value` goes back with the press. */
  buttons?: { action: string; value: string; label: string }[];
  /** Unix milliseconds. */
  at: number;
  /** Extra members for webhooks. */
  data?: Record<string, unknown>;
}

/** Links notifications at the receiver (a Slack thread's ts, a mail's Message-ID). */
export type ThreadRef = Record<string, string>;

/** The receiver accepted it. */
export interface Delivered {
  /** For the next related notification. */
  thread?: ThreadRef;
  /** One line for operators: where it went, and under which id. */
  receipt: string;
}

/** The receiver did not accept it. */
export class DeliveryError extends Error {
  override name = 'DeliveryError';
  /** Whether a retry can help. */
  readonly retryable: boolean;
  /** The delay that the receiver requested, ms. */
  readonly retryAfterMs: number | undefined;
  /** There was no answer in time: it may have arrived, or still arrive. */
  readonly timedOut: boolean;

  constructor(
    message: string,
    options: { retryable: boolean; retryAfterMs?: number; timedOut?: boolean; cause?: unknown },
  ) {
    super(message, { cause: options.cause });
    this.timedOut = options.timedOut ?? false;
    this.retryable = options.retryable;
    this.retryAfterMs = options.retryAfterMs;
  }
}

export interface Delivery {
  /** The same for every attempt: receivers recognise repetitions by it. */
  idempotencyKey: string;
  /** From 1. */
  attempt: number;
  message: NotificationMessage;
  /** The thread of the first related notification on this channel. */
  thread?: ThreadRef;
  signal: AbortSignal;
}

/** Sends to one channel. @throws {DeliveryError} */
export type SendNotification = (delivery: Delivery) => Promise<Delivered>;

/** The longest delay that a receiver may request. */
const MAX_RETRY_AFTER_MS = 3_600_000;

/**
 * HTTP statuses that ask for a retry: timeout, conflict (the first attempt is still in progress), too early, rate
 * limit, server error.
 */
export const isRetryableStatus = (status: number): boolean => [408, 409, 425, 429].includes(status) || status >= 500;

/** A request without a response. The messages of outbound errors are fit for people. */
export const fromOutbound = (error: OutboundError): DeliveryError =>
  new DeliveryError(error.message, {
    retryable: error.failure !== 'refused' && error.failure !== 'redirect',
    timedOut: error.failure === 'timeout',
  });

/**
 * The value of Retry-After (RFC 9110, 10.2.3: seconds or a date), in milliseconds; undefined without a valid one.
 * @param now unix milliseconds
 */
export function retryAfterMs(value: string | null, now: number): number | undefined {
  if (value === null) return undefined;
  const ms = /^\d{1,9}$/.test(value.trim()) ? Number(value) * 1_000 : Date.parse(value) - now;
  return Number.isFinite(ms) && ms > 0 ? Math.min(ms, MAX_RETRY_AFTER_MS) : undefined;
}
