/** Figures with the unit and the digits that a reader needs. */

type Kind = 'time' | 'share' | 'bytes';

/** Factors to seconds, to a share of 1, and to bytes. */
const UNITS: readonly (readonly [RegExp, Kind, number])[] = [
  [/^(?:ns|nanoseconds?)$/i, 'time', 1e-9],
  [/^(?:us|µs|microseconds?)$/i, 'time', 1e-6],
  [/^(?:ms|milliseconds?)$/i, 'time', 1e-3],
  [/^(?:s|secs?|seconds?)$/i, 'time', 1],
  [/^(?:mins?|minutes?)$/i, 'time', 60],
  [/^(?:ratio|fraction)$/i, 'share', 1],
  [/^(?:%|percent|percentage)$/i, 'share', 0.01],
  [/^(?:b|bytes?)$/i, 'bytes', 1],
  [/^(?:kb|kilobytes?)$/i, 'bytes', 1e3],
  [/^(?:mb|megabytes?)$/i, 'bytes', 1e6],
  [/^(?:gb|gigabytes?)$/i, 'bytes', 1e9],
  [/^(?:kib|kibibytes?)$/i, 'bytes', 2 ** 10],
  [/^(?:mib|mebibytes?)$/i, 'bytes', 2 ** 20],
  [/^(?:gib|gibibytes?)$/i, 'bytes', 2 ** 30],
];
/** Units to show, by the least size they suit, and how much one is. */
const SHOWN: Record<Kind, readonly (readonly [least: number, unit: string, size: number])[]> = {
  time: [
    [1, ' s', 1],
    [0, ' ms', 1e-3],
  ],
  share: [[0, ' %', 0.01]],
  bytes: [
    [2 ** 30, ' GiB', 2 ** 30],
    [2 ** 20, ' MiB', 2 ** 20],
    [2 ** 10, ' KiB', 2 ** 10],
    [0, ' B', 1],
  ],
};
const DIGITS = 3;
/** A value this much smaller than the one beside it reads as zero. */
const NEGLIGIBLE = 1e-5;

/**
 * `401 ms`, `8.26 s`, `56.7 %`, `1.2 GiB`, `12 requests/s`, `8`: at most three significant digits, in the unit that reads
 * best.
 * @param unit as a source gives it; `ratio` becomes a percentage; undefined or `1` is a plain number
 * @param beside a larger figure of the same kind, beside which tiny values are zero
 */
export function quantity(value: number | null | undefined, unit?: string, beside = 0): string {
  if (value === null || value === undefined || !Number.isFinite(value)) return 'an unknown value';
  const shown = Math.abs(value) < Math.abs(beside) * NEGLIGIBLE ? 0 : value;
  const [, kind, factor = 1] = UNITS.find(([named]) => named.test(unit?.trim() ?? '')) ?? [];
  if (kind === undefined) return `${digits(shown)}${suffix(unit, shown)}`;
  const base = shown * factor;
  // Zero takes the unit of the figure beside it.
  const size = Math.abs(base === 0 ? beside * factor : base);
  const [, name = '', one = 1] = SHOWN[kind].find(([least]) => size >= least) ?? [];
  return `${digits(base / one)}${name}`;
}

/** @returns a figure in another unit of its kind, such as 5 % as a ratio; undefined if the units do not convert */
export function convert(value: number, from: string, to: string): number | undefined {
  const [given, wanted] = [from, to].map((unit) => UNITS.find(([named]) => named.test(unit)));
  if (!given || given[1] !== wanted?.[1]) return undefined;
  return Number(((value * given[2]) / wanted[2]).toPrecision(12));
}

export const isUnit = (text: string): boolean => UNITS.some(([named]) => named.test(text));

/** `from 0 % to 100 %`, `from 0.2 ms to 4.47 s`, `from 3 to 35 connections` */
export function fromTo(before: number | null | undefined, after: number | null | undefined, unit?: string): string {
  const larger = Math.max(Math.abs(before ?? 0), Math.abs(after ?? 0));
  const [from, to] = [quantity(before, unit, larger), quantity(after, unit, larger)];
  const counted = UNITS.some(([named]) => named.test(unit?.trim() ?? '')) ? '' : suffix(unit, before ?? 0);
  const isCounted = counted !== '' && from.endsWith(counted);
  return `from ${isCounted ? from.slice(0, -counted.length) : from} to ${to}`;
}

/** Made once: making one takes longer than ranking a service. */
const decimal = new Intl.NumberFormat('en', { maximumFractionDigits: 9 });

function digits(value: number): string {
  // Four digits of a whole number are as easy to read as three and a zero.
  const isLarge = Math.abs(value) >= 1_000 && Math.abs(value) < 10_000;
  const rounded = isLarge ? Math.round(value) : Number(value.toPrecision(DIGITS));
  return rounded !== 0 && Math.abs(rounded) < 1e-6 ? rounded.toExponential() : decimal.format(rounded);
}

function suffix(unit: string | undefined, value: number): string {
  const plural = unit?.trim() ?? '';
  if (plural === '' || plural === '1') return '';
  const name = digits(value) === '1' ? singular(plural) : plural;
  return /^[\p{L}µ%][\p{L}\d/%² ._-]{0,30}$/u.test(name) ? ` ${name}` : '';
}

/** `requests/s` becomes `request/s`, `retries` becomes `retry`. */
function singular(unit: string): string {
  return unit.replace(
    /^(?!series)(\p{L}+?)(ies|(?<!s)s)(?=$|[/ ])/u,
    (_, stem, end) => `${stem}${end === 'ies' ? 'y' : ''}`,
  );
}
