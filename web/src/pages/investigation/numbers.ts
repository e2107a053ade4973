/** Figures as people read them. */
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

/** @example size(2_048) // '2 kB' */
export function size(bytes: number): string {
  if (bytes < 1_000) return `${bytes} B`;
  return bytes < 1_000_000 ? `${Math.round(bytes / 1_000)} kB` : `${(bytes / 1_000_000).toFixed(1)} MB`;
}
