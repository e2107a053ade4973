/** Parameters shared by the operations of several systems. */
import { z } from 'zod';

export const unixSeconds = z.number().min(0).max(1e11).describe('unix seconds');
export const selectors = z.array(z.string().min(1)).max(1_000);

/** Unix seconds as nanoseconds, exact to the microsecond. */
export function toNanoseconds(seconds: number | undefined): string | undefined {
  return seconds === undefined ? undefined : String(BigInt(Math.round(seconds * 1e6)) * 1000n);
}

/** Unix seconds as RFC 3339, exact to the millisecond. */
export function toRfc3339(seconds: number): string {
  return new Date(Math.round(seconds * 1000)).toISOString();
}

/** A duration in Go's notation. */
export function toGoDuration(ms: number | undefined): string | undefined {
  return ms === undefined ? undefined : `${Math.round(ms * 1000)}us`;
}

/** Attributes as logfmt: unusual values are quoted. */
export function toLogfmt(tags: Record<string, string> | undefined): string | undefined {
  if (tags === undefined) return undefined;
  return Object.entries(tags)
    .map(([key, value]) => `${key}=${/^[\w./:@-]+$/u.test(value) ? value : JSON.stringify(value)}`)
    .join(' ');
}
