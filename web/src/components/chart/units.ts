/** Numbers with units for people. */

type Scale = readonly (readonly [factor: number, unit: string])[];

const SECONDS: Scale = [
  [86_400, 'd'],
  [3_600, 'h'],
  [60, 'min'],
  [1, 's'],
  [1e-3, 'ms'],
  [1e-6, 'µs'],
  [1e-9, 'ns'],
];
const BYTES: Scale = [
  [1e12, 'TB'],
  [1e9, 'GB'],
  [1e6, 'MB'],
  [1e3, 'kB'],
  [1, 'B'],
];
const COUNT: Scale = [
  [1e12, 'T'],
  [1e9, 'G'],
  [1e6, 'M'],
  [1e3, 'k'],
  [1, ''],
];

const digits = new Intl.NumberFormat('en', { maximumSignificantDigits: 4, useGrouping: false });
const sparse = new Intl.NumberFormat('en', { maximumSignificantDigits: 3, useGrouping: false });

/** Very large and very small numbers keep their exponent. */
function plain(value: number): string {
  const size = Math.abs(value);
  if (size !== 0 && (size >= 1e15 || size < 1e-4)) return value.toExponential(2);
  return (size < 1 ? sparse : digits).format(value);
}

function scaled(value: number, scale: Scale): string {
  const size = Math.abs(value);
  // 90 s reads better than 1.5 min: minutes, hours and days start at two.
  const [factor, unit] = scale.find(([factor]) => size >= factor * (factor > 1 && scale === SECONDS ? 2 : 1)) ??
    scale.at(-1) ?? [1, ''];
  if (size === 0) return `0 ${scale === BYTES ? 'B' : scale === SECONDS ? 's' : ''}`.trim();
  return `${plain(value / factor)}${unit === '' || scale === COUNT ? '' : ' '}${unit}`;
}

interface Unit {
  scale: Scale | undefined;
  factor: number;
  suffix: string;
}

/** What OpenTelemetry, Prometheus and people call a unit. */
function known(unit: string): Unit | undefined {
  const name = unit.trim().toLowerCase();
  if (['s', 'sec', 'second', 'seconds'].includes(name)) return { scale: SECONDS, factor: 1, suffix: '' };
  if (['ms', 'millisecond', 'milliseconds'].includes(name)) return { scale: SECONDS, factor: 1e-3, suffix: '' };
  if (['us', 'µs', 'microseconds'].includes(name)) return { scale: SECONDS, factor: 1e-6, suffix: '' };
  if (['ns', 'nanoseconds'].includes(name)) return { scale: SECONDS, factor: 1e-9, suffix: '' };
  if (['by', 'b', 'byte', 'bytes'].includes(name)) return { scale: BYTES, factor: 1, suffix: '' };
  if (['kib', 'kiby'].includes(name)) return { scale: BYTES, factor: 1024, suffix: '' };
  if (['mib', 'miby'].includes(name)) return { scale: BYTES, factor: 1024 ** 2, suffix: '' };
  if (['ratio', 'percentunit'].includes(name)) return { scale: undefined, factor: 100, suffix: '%' };
  if (['%', 'percent'].includes(name)) return { scale: undefined, factor: 1, suffix: '%' };
  if (['', '1', 'count', 'short', 'none'].includes(name)) return { scale: COUNT, factor: 1, suffix: '' };
  return undefined;
}

/** A rate: `By/s`, `1/s`, `{requests}/s`, `requests per second`. */
const RATE = /^(.*?)\s*(?:\/|\bper\s+)\s*(?:s|sec|second|seconds)$/i;

/**
 * @param unit as the source names it; null if none
 * @example formatValue(0.0123, 's') // '12.3 ms'
 */
export function formatValue(value: number | null | undefined, unit: string | null): string {
  if (value === null || value === undefined || !Number.isFinite(value)) return '–';
  const [, ofRate] = RATE.exec(unit ?? '') ?? [];
  const name = ofRate ?? unit ?? '';
  const { scale, factor, suffix } = known(name) ?? {
    scale: COUNT,
    factor: 1,
    suffix: ` ${name.replaceAll(/[{}]/g, '').slice(0, 20)}`,
  };
  // Seconds per second are a utilisation, such as of a CPU.
  const ofTime = ofRate !== undefined && scale === SECONDS;
  const figure = scale === undefined || ofTime ? plain(value * factor) : scaled(value * factor, scale);
  return `${figure}${ofTime ? ' s' : suffix}${ofRate === undefined ? '' : '/s'}`;
}
