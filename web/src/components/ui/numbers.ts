/** Numbers for people. */
const whole = new Intl.NumberFormat('en');
const short = new Intl.NumberFormat('en', { notation: 'compact', maximumFractionDigits: 1 });

/** @example dollars(0.0042) // '$0.0042' */
export function dollars(usd: number): string {
  if (usd === 0) return '$0';
  return usd < 0.01 ? `$${usd.toPrecision(2)}` : `$${usd.toFixed(2)}`;
}

export const count = (number: number, one: string, many = `${one}s`): string =>
  `${whole.format(number)} ${number === 1 ? one : many}`;

/** @example compact(12_345) // '12.3K' */
export const compact = (number: number): string => short.format(number);

/** A measurement short enough for a column: 1234.5678 is 1,235 and 0.000123456 is 0.0001235. */
export const figure = (value: number): string =>
  value.toLocaleString('en', { maximumSignificantDigits: 4, ...(Math.abs(value) >= 1e9 && { notation: 'compact' }) });
