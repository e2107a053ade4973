/** The spans of time that lists filter by, by the value in the address. */
const HOUR_MS = 3_600_000;

export const SPANS = [
  { value: '1h', title: 'Last hour', ms: HOUR_MS },
  { value: '24h', title: 'Last 24 hours', ms: 24 * HOUR_MS },
  { value: '7d', title: 'Last 7 days', ms: 7 * 24 * HOUR_MS },
  { value: '30d', title: 'Last 30 days', ms: 30 * 24 * HOUR_MS },
] as const;

export type Since = (typeof SPANS)[number]['value'];

/** The span of an address, which may contain anything. */
export const sinceIn = (text: string | undefined): Since | undefined =>
  SPANS.find(({ value }) => value === text)?.value;

/** @returns when the span began, as an ISO time; undefined for any time */
export function startOf(since: Since | undefined, now = Date.now()): string | undefined {
  const span = SPANS.find(({ value }) => value === since);
  return span && new Date(now - span.ms).toISOString();
}
