/** Units of measurement as people and telemetry write them. */

export type Dimension = 'time' | 'ratio' | 'bytes' | 'count';

/** A unit of a dimension. Canonical units: seconds, fractions of one, bytes, items. */
export interface Unit {
  dimension: Dimension;
  /** Canonical units in one of these; two values if the unit is ambiguous (a megabyte of 1000² or 1024² bytes). */
  scales: readonly number[];
}

const unit = (dimension: Dimension, ...scales: number[]): Unit => ({ dimension, scales });

const SECOND = unit('time', 1);
const MILLISECOND = unit('time', 1e-3);
const MICROSECOND = unit('time', 1e-6);
const NANOSECOND = unit('time', 1e-9);
const MINUTE = unit('time', 60);
const HOUR = unit('time', 3_600);
const DAY = unit('time', 86_400);
const PERCENT = unit('ratio', 0.01);
const FRACTION = unit('ratio', 1);

/** As written, where case matters. */
const EXACT: Record<string, Unit> = {
  m: MINUTE,
  M: unit('count', 1e6),
  k: unit('count', 1e3),
  K: unit('count', 1e3),
  G: unit('count', 1e9),
  T: unit('count', 1e12),
  B: unit('bytes', 1, 1e9),
};

const ANY_CASE: Record<string, Unit> = {
  ...named(NANOSECOND, 'ns nanos nanosecond nanoseconds'),
  ...named(MICROSECOND, 'us µs μs usec micros microsecond microseconds'),
  ...named(MILLISECOND, 'ms msec msecs millis millisecond milliseconds'),
  ...named(SECOND, 's sec secs second seconds sekunde sekunden'),
  ...named(MINUTE, 'min mins minute minutes minuten'),
  ...named(HOUR, 'h hr hrs hour hours stunde stunden'),
  ...named(DAY, 'd day days'),
  ...named(PERCENT, '% percent percentage pct prozent'),
  ...named(FRACTION, 'ratio fraction'),
  ...named(unit('bytes', 1), 'byte bytes'),
  ...named(unit('bytes', 1e3, 1024), 'kb kilobyte kilobytes'),
  ...named(unit('bytes', 1e6, 1024 ** 2), 'mb megabyte megabytes'),
  ...named(unit('bytes', 1e9, 1024 ** 3), 'gb gigabyte gigabytes'),
  ...named(unit('bytes', 1e12, 1024 ** 4), 'tb terabyte terabytes'),
  ...named(unit('bytes', 1024), 'kib ki'),
  ...named(unit('bytes', 1024 ** 2), 'mib mi'),
  ...named(unit('bytes', 1024 ** 3), 'gib gi'),
  ...named(unit('bytes', 1024 ** 4), 'tib ti'),
  ...named(unit('count', 1e3), 'thousand'),
  ...named(unit('count', 1e6), 'million mio'),
  ...named(unit('count', 1e9), 'billion bn'),
};

function named(value: Unit, names: string): Record<string, Unit> {
  return Object.fromEntries(names.split(' ').map((name) => [name, value]));
}

const LONGEST = 12;
const KNOWN = new Map([...Object.entries(ANY_CASE), ...Object.entries(EXACT)]);

/** The unit of this name, as it follows a number. */
export function unitNamed(name: string): Unit | undefined {
  if (name.length > LONGEST) return undefined;
  return KNOWN.get(name) ?? (name.length === 1 ? undefined : KNOWN.get(name.toLowerCase()));
}

/** Multiples and single letters that rarely mean a unit at the end of a name. */
const NOT_IN_NAMES = new Set([
  'min',
  'k',
  'K',
  'M',
  'G',
  'T',
  'B',
  'm',
  'd',
  'h',
  'mi',
  'ki',
  'gi',
  'ti',
  'thousand',
  'million',
]);

/** The unit at the end of a metric, column or property name: `p99_ms`, `durationSeconds`, `latency (ms)`, `%CPU`. */
export function unitInName(name: string): Unit | undefined {
  if (name.includes('%')) return PERCENT;
  const last =
    /(?:^|[_\s./(-]|(?<=\p{Ll})(?=\p{Lu}))(\p{L}{1,12})\)?(?:[_.](?:total|sum|avg|max|min|p\d{1,3}))?$/u.exec(
      name.slice(-40),
    )?.[1];
  if (last === undefined || NOT_IN_NAMES.has(last)) return undefined;
  return unitNamed(last.toLowerCase());
}
