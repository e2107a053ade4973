/** How people hear of findings. A notification is a row before it is sent, and is sent at least once. */
import type { Severity } from '../plan/schema.ts';

/** What a notification is about. `test`: somebody wants to see whether the channel works. */
export const NOTIFICATION_EVENTS = ['opened', 'report', 'resolved', 'reopened', 'flapping', 'test'] as const;
export type NotificationEvent = (typeof NOTIFICATION_EVENTS)[number];

/** What is said, before it is put into a channel's own form. Text may come from telemetry: channels escape it. */
export interface NotificationMessage {
  event: NotificationEvent;
  agentId: string;
  /** The agent's title. */
  agent: string;
  findingId?: string;
  severity: Severity;
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
}

/** Ties the notifications of one finding together at the receiver (a Slack thread's ts, a mail's Message-ID). */
export type ThreadRef = Record<string, string>;

/** A channel took it. */
export interface Delivered {
  /** For the next notification of the same finding. */
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
  /** Of the finding's first notification on this channel. */
  thread?: ThreadRef;
  signal: AbortSignal;
}

/** Sends to one channel. @throws {DeliveryError} */
export type SendNotification = (delivery: Delivery) => Promise<Delivered>;
