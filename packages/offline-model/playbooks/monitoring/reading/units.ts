/** Figures in the unit of a metric. */

export type UnitKind = 'time' | 'share' | 'bytes' | 'rate' | 'none';

/** A unit as a multiple of its kind's own: seconds, the ratio 1, bytes, once a second. */
interface Unit {
  kind: UnitKind;
  factor: number;
}

const UNITS: [RegExp, Unit][] = [
  [/^(?:ns|nanosec\w*)$/i, { kind: 'time', factor: 1e-9 }],
  [/^(?:us|µs|microsec\w*)$/i, { kind: 'time', factor: 1e-6 }],
  [/^(?:ms|msecs?|millis|millisec\w*)$/i, { kind: 'time', factor: 1e-3 }],
  [/^(?:s|secs?|seconds?)$/i, { kind: 'time', factor: 1 }],
  [/^(?:m|mins?|minutes?)$/i, { kind: 'time', factor: 60 }],
  [/^(?:h|hrs?|hours?)$/i, { kind: 'time', factor: 3_600 }],
  [/^(?:%|per ?cent|pct|percentage)$/i, { kind: 'share', factor: 0.01 }],
  [/^(?:ratio|share|fraction)$/i, { kind: 'share', factor: 1 }],
  [/^(?:b|bytes?)$/i, { kind: 'bytes', factor: 1 }],
  [/^kb$/i, { kind: 'bytes', factor: 1e3 }],
  [/^(?:mb|megabytes?)$/i, { kind: 'bytes', factor: 1e6 }],
  [/^(?:gb|gigabytes?)$/i, { kind: 'bytes', factor: 1e9 }],
  [/^tb$/i, { kind: 'bytes', factor: 1e12 }],
  [/^kib$/i, { kind: 'bytes', factor: 2 ** 10 }],
  [/^(?:mib|mi)$/i, { kind: 'bytes', factor: 2 ** 20 }],
  [/^(?:gib|gi)$/i, { kind: 'bytes', factor: 2 ** 30 }],
  [/^(?:r\/s|rps|qps|tps|1\/s|hz|.+\/s(?:ec(?:ond)?)?|.+ per second|per second)$/i, { kind: 'rate', factor: 1 }],
  [/^(?:rpm|1\/min|.+\/m(?:in(?:ute)?)?|.+ per minute|per minute)$/i, { kind: 'rate', factor: 1 / 60 }],
  [/^(?:.+\/h(?:our)?|.+ per hour|per hour)$/i, { kind: 'rate', factor: 1 / 3_600 }],
];
/** Where a metric does not state its unit its name may. */
const BY_NAME: [RegExp, string][] = [
  [/(?:^|_|:)(?:ms|millis|milliseconds)(?:_|$|:)/i, 'ms'],
  [/(?:^|_|:)seconds(?:_|$|:)/i, 's'],
  [/(?:^|_|:)(?:percent|percentage|pct)(?:_|$|:)/i, '%'],
  [/(?:^|_|:)ratio(?:_|$|:)/i, 'ratio'],
  [/(?:^|_|:)bytes(?:_|$|:)/i, 'B'],
];
const LIKELY_MS = 10;

/** @returns undefined for a unit that is not known, such as `connections` */
function unitOf(text: string | undefined): Unit | undefined {
  const plain = text?.trim() ?? '';
  return plain === '' ? undefined : UNITS.find(([said]) => said.test(plain))?.[1];
}

export function unitKind(text: string | undefined): UnitKind {
  return unitOf(text)?.kind ?? 'none';
}

/** The unit of a metric: stated, or as its name says. */
export function unitOfMetric(metric: string, stated: string | undefined): string | undefined {
  return stated ?? BY_NAME.find(([named]) => named.test(metric))?.[1];
}

interface Converted {
  value: number;
  /** What was assumed, for the person. */
  note?: string;
}

/**
 * A figure as a person wrote it in the unit of a metric.
 * @param unit the metric's; undefined: not known
 * @returns undefined when one cannot be turned into the other
 */
export function inUnit(value: number, said: string | undefined, unit: string | undefined): Converted | undefined {
  const [from, to] = [unitOf(said), unitOf(unit)];
  if (from && to) return from.kind === to.kind ? { value: tidy((value * from.factor) / to.factor) } : undefined;
  if (from && !to) {
    if (unit !== undefined && unit !== '1') return undefined;
    const base = from.kind === 'share' ? tidy(value * from.factor) : value;
    return { value: base, note: `The metric does not state its unit; I compare it with ${base}.` };
  }
  if (!from && to?.kind === 'share' && to.factor === 1 && value > 1) {
    return { value: tidy(value / 100), note: `I take ${value} to mean ${value} %.` };
  }
  if (!from && to?.kind === 'time' && to.factor === 1 && value >= LIKELY_MS) {
    return { value: tidy(value / 1_000), note: `I take ${value} to mean ${value} ms.` };
  }
  return { value };
}

/** Without what binary fractions add. */
function tidy(value: number): number {
  return Number(value.toPrecision(12));
}
