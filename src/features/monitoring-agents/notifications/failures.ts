import type { OutboundError } from '../../../platform/outbound/index.ts';
import { DeliveryError } from './port.ts';

/** No receiver may put a notification off for longer. */
const LONGEST_RETRY_AFTER_MS = 3_600_000;

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
  return Number.isFinite(ms) && ms > 0 ? Math.min(ms, LONGEST_RETRY_AFTER_MS) : undefined;
}
