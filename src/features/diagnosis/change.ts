import { type Beyond, quantileInPlace, surpriseOf } from './statistics.ts';
import type { TimeWindow } from './types.ts';

/** Values that belong together (durations of an operation, calls made by each request), each at its time. */
export interface Observations {
  /** Unix seconds. */
  at: number[];
  values: number[];
}

/** How a quantity differs between a healthy period and an incident. */
export interface Change {
  before: number;
  after: number;
  /** Signed: the change in units of what health shows by chance; 0 when there is nothing to compare. */
  score: number;
  samplesBefore: number;
  samplesAfter: number;
  /** Start of the part of the incident that differs most, unix seconds. */
  onset?: number;
}

/** The periods to compare. */
export interface ChangeWindows {
  baseline: TimeWindow;
  incident: TimeWindow;
  /** When the symptom was reported, unix seconds: its cause was there then. */
  reportedAt?: number;
}

export interface ChangeOptions {
  windows: ChangeWindows;
  /** `median` for what has a long tail, `mean` for counts and shares. */
  statistic: 'median' | 'mean';
  /** In the quantity's unit: a smaller spread is not believed, however quiet the baseline. */
  leastSpread: number;
  /** The same as a share of the healthy level. */
  leastShare: number;
  /**
   * Without healthy values, compares the incident with its own beginning, or with its end if it began with the fault. Only
   * an increase counts then: a decrease is one seen from the other side.
   */
  withinIncident?: boolean;
}

/**
 * A fault need not last as long as the incident, so the incident is also looked at in parts of this length, and the
 * healthy period in equal ones tells how far such a part strays by chance.
 */
const PART_SECONDS = 60;
/** The same where the incident is its own reference, which must not lose what is left of it. */
const SHORT_PART_SECONDS = 20;
/** What was over before the symptom was reported is a cause less likely. */
export const OVER_WEIGHT = 0.5;
/** What another part of the incident is worth as a reference, beside a healthy period. */
export const WITHIN_INCIDENT = 0.7;
/** Makes the interquartile range of a normal sample its standard deviation. */
const IQR_TO_SIGMA = 1 / 1.349;
/** The variance of a median exceeds that of a mean by this factor, for a normal sample. */
const MEDIAN_VARIANCE = Math.PI / 2;
const LEAST_SAMPLES = 2;
const SCORE_LIMIT = 1e6;

/**
 * Compares the level of a quantity in an incident with a healthy period: the difference over its standard error, to
 * which the scatter among equal parts of the healthy period is added, since requests that share a minute share their
 * fate. Of the whole incident and its parts, the one with the largest score counts.
 */
export function changeOf(observed: Observations, options: ChangeOptions): Change {
  const { windows, statistic } = options;
  const healthy = partsOf(observed, windows.baseline, PART_SECONDS);
  const isWithin = healthy.length === 0 && options.withinIncident === true;
  const sick = partsOf(observed, windows.incident, isWithin ? SHORT_PART_SECONDS : PART_SECONDS);
  const health = healthy.length === 0 ? undefined : referenceOf(healthy, options);
  const values = sick.flatMap((part) => part.values);
  const before = health?.level ?? Number.NaN;
  const none = { before, after: Number.NaN, score: 0, samplesBefore: health?.values.length ?? 0, samplesAfter: 0 };
  if (values.length === 0) return none;
  let best: Change = { ...none, samplesAfter: values.length };
  for (const { from, to, weight } of stretches(sick, windows.reportedAt)) {
    const part = sick.slice(from, to).flatMap((one) => one.values);
    if (part.length < Math.min(LEAST_SAMPLES, values.length)) continue;
    const rest = isWithin ? (from > 0 ? sick.slice(0, from) : sick.slice(to)) : [];
    const reference = health ?? (rest.length > 0 ? referenceOf(rest, options) : undefined);
    if (reference === undefined) continue;
    const { level, sigma, drift } = reference;
    const after = levelOf(part, statistic);
    if (isWithin && after < level) continue;
    const factor = statistic === 'median' ? MEDIAN_VARIANCE : 1;
    const sampling = factor * sigma * sigma * (1 / part.length + 1 / reference.values.length);
    const error = Math.sqrt(sampling + drift * drift);
    const size = Math.min(SCORE_LIMIT, Math.abs(after - level) / error, surprise(reference.values, part, level, after));
    const last = levelOf(sick[to - 1]!.values, statistic);
    const isOver =
      to - from > 1 && sick[to - 1]!.values.length >= LEAST_SAMPLES && (last - level) / (after - level) < 0.5;
    const share = weight * (isWithin ? WITHIN_INCIDENT : 1) * (isOver ? OVER_WEIGHT : 1);
    const score = share * Math.sign(after - level) * size;
    if (Math.abs(score) > Math.abs(best.score) || Number.isNaN(best.after)) {
      const samplesBefore = reference.values.length;
      best = { ...best, before: level, after, score, samplesBefore, onset: sick[from]!.from };
    }
  }
  return Number.isNaN(best.after) ? { ...best, after: levelOf(values, statistic) } : best;
}

/** What a quantity is compared with. */
interface Reference {
  values: number[];
  level: number;
  sigma: number;
  drift: number;
}

function referenceOf(parts: readonly Part[], options: ChangeOptions): Reference {
  const values = parts.flatMap((part) => part.values);
  const level = levelOf(values, options.statistic);
  const sigma = Math.max(sigmaOf(values, options.statistic), options.leastSpread, options.leastShare * Math.abs(level));
  return { values, level, sigma, drift: driftOf(parts, level, sigma, options) };
}

/**
 * Stretches of an incident's parts in which a fault may have acted: from any part to the end, or to the report of the
 * symptom. What ends earlier is looked at as well, and counts less.
 */
export function stretches(
  parts: readonly { from: number }[],
  reportedAt = Number.POSITIVE_INFINITY,
): Array<{ from: number; to: number; weight: number }> {
  const found: Array<{ from: number; to: number; weight: number }> = [];
  const reported = parts.filter(({ from }) => from <= reportedAt).length || parts.length;
  for (let from = 0; from < parts.length; from++) {
    found.push({ from, to: parts.length, weight: 1 });
    if (reported > from && reported < parts.length) found.push({ from, to: reported, weight: 1 });
    if (from > 0 && from < parts.length) found.push({ from: from - 1, to: from, weight: OVER_WEIGHT });
  }
  return found;
}

/**
 * How surprising it is that so much of the part lies beyond the middle between both levels, or so little of the healthy
 * values, whichever surprises less: a single healthy value says little, however many differ from it. See {@link surpriseOf}.
 */
function surprise(healthy: readonly number[], part: readonly number[], before: number, after: number): number {
  const middle = (before + after) / 2;
  const isBeyond = (value: number): boolean => (after > before ? value > middle : value < middle);
  const beyondIn = (values: readonly number[]): Beyond => {
    return { beyond: values.filter(isBeyond).length, of: values.length };
  };
  const restOf = ({ beyond, of }: Beyond): Beyond => ({ beyond: of - beyond, of });
  const [sick, usual] = [beyondIn(part), beyondIn(healthy)];
  return Math.min(surpriseOf(sick, usual), surpriseOf(restOf(usual), restOf(sick)));
}

interface Part {
  from: number;
  values: number[];
}

function partsOf({ at, values }: Observations, { from, to }: TimeWindow, seconds: number): Part[] {
  const parts = new Map<number, Part>();
  for (let i = 0; i < at.length; i++) {
    const time = at[i]!;
    if (time < from || time >= to) continue;
    const index = Math.floor((time - from) / seconds);
    const part = parts.get(index);
    if (part === undefined) parts.set(index, { from: from + index * seconds, values: [values[i]!] });
    else part.values.push(values[i]!);
  }
  return [...parts.values()].sort((a, b) => a.from - b.from);
}

function levelOf(values: readonly number[], statistic: ChangeOptions['statistic']): number {
  if (statistic === 'median') return quantileInPlace(Float64Array.from(values), values.length, 0.5);
  let sum = 0;
  for (const value of values) sum += value;
  return values.length === 0 ? Number.NaN : sum / values.length;
}

function sigmaOf(values: readonly number[], statistic: ChangeOptions['statistic']): number {
  if (statistic === 'median') {
    const sample = Float64Array.from(values);
    return (quantileInPlace(sample, values.length, 0.75) - quantileInPlace(sample, values.length, 0.25)) * IQR_TO_SIGMA;
  }
  const mean = levelOf(values, 'mean');
  let squares = 0;
  for (const value of values) squares += (value - mean) ** 2;
  return Math.sqrt(squares / Math.max(1, values.length));
}

/** Standard deviation of the parts' levels beyond what their sampling explains; at least the floors. */
function driftOf(parts: readonly Part[], level: number, sigma: number, options: ChangeOptions): number {
  const factor = options.statistic === 'median' ? MEDIAN_VARIANCE : 1;
  let excess = 0;
  let counted = 0;
  for (const { values } of parts) {
    if (values.length < LEAST_SAMPLES) continue;
    counted++;
    excess += (levelOf(values, options.statistic) - level) ** 2 - (factor * sigma * sigma) / values.length;
  }
  const drift = counted < 2 ? 0 : Math.sqrt(Math.max(0, excess / (counted - 1)));
  return Math.max(drift, options.leastSpread, options.leastShare * Math.abs(level));
}
