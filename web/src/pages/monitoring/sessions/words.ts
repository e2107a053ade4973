import type { SessionSummary } from '../queries.ts';

export const TRIGGERS: Record<SessionSummary['trigger'], string> = {
  schedule: 'By its schedule',
  now: 'Somebody asked for it',
  deploy: 'After a deploy',
  alert: 'After an alert',
};

/** US dollars, with as many digits as say something. */
export function costWords(usd: number): string {
  if (usd === 0) return '$0';
  return usd < 0.01 ? 'under $0.01' : `$${usd.toFixed(2)}`;
}

/** A measured value, short enough for a column: 1234.5678 is 1,235 and 0.000123456 is 0.0001235. */
export const figure = (value: number): string =>
  value.toLocaleString('en', { maximumSignificantDigits: 4, ...(Math.abs(value) >= 1e9 && { notation: 'compact' }) });
