/** What is usual for a series, from its own history, and how far a value deviates. Pure. */
import { leastSpread, metricMeaning, robustSummary, shareScale } from '../../diagnosis/index.ts';
import type { TimeWindow } from '../../sources/port.ts';
import { intervalOf, type CheckedSeries } from './series.ts';

/** With fewer samples a robust deviation is a guess: its own error is then at least a sixth. */
const FEWEST_SAMPLES = 20;
/** Half a percentage point is a few failures among hundreds of requests; less is indistinguishable from none. */
const ERROR_SHARE_STEP = 0.005;

export interface Usual {
  median: number;
  /** Robust standard deviation, at least the measurement noise; 0 if every sample was 0. */
  sigma: number;
}

/**
 * The usual values of a series: over the whole history, and over its older half if that is long enough. A fault that
 * has lasted for half of the history has become its median; the older half remembers the time before.
 * @param past values of the history, in time order
 * @param older how many of them belong to its older half
 * @param scatter whose scatter applies to the older half: its `own` detects a long fault best; that of the `whole` does
 *   not take a steady trend for a deviation
 */
export function usualsOf(
  series: CheckedSeries,
  past: readonly number[],
  older: number,
  scatter: 'own' | 'whole',
): [Usual, ...Usual[]] {
  const whole = robustSummary(past);
  const first = usualOf(series, whole.median, whole.sigma);
  if (older < FEWEST_SAMPLES || older === past.length) return [first];
  const half = robustSummary(past.slice(0, older));
  return [first, usualOf(series, half.median, scatter === 'own' ? half.sigma : whole.sigma)];
}

/** A usual value whose deviation is at least what can be told from noise. */
export function usualOf({ metric, statistic, unit }: CheckedSeries, median: number, sigma: number): Usual {
  const meaning = metricMeaning(metric, statistic);
  const step = meaning === 'errors' ? ERROR_SHARE_STEP * (shareScale(unit) ?? 0) : 0;
  return { median, sigma: Math.max(sigma, leastSpread(unit, median, meaning), step) };
}

/** A value beside the usual one it was compared with. */
export interface Compared {
  usual: Usual;
  /** Robust standard deviations above (positive) or below it. */
  deviations: number;
  /** The same in the direction that counts. */
  towards: number;
}

/** The usual value furthest from a value in the direction that counts. */
export function furthestFrom(
  value: number,
  usuals: readonly [Usual, ...Usual[]],
  towards: (deviations: number) => number,
): Compared {
  const compared = usuals.map((one) => {
    const distance = deviations(value, one);
    return { usual: one, deviations: distance, towards: towards(distance) };
  });
  return compared.reduce((most, one) => (one.towards > most.towards ? one : most));
}

/**
 * How many robust standard deviations a value is above (positive) or below the median. Infinite if every sample of the
 * history was 0 and the value is not: no unit applies.
 */
function deviations(value: number, { median, sigma }: Usual): number {
  const distance = value - median;
  return distance === 0 ? 0 : distance / sigma;
}

/** How much of a history exists. */
export interface Learned {
  /** Number of samples in the history. */
  samples: number;
  /** Number of samples required for a judgement. */
  needed: number;
  /** The history begins later than requested, so it will grow. */
  isGrowing: boolean;
}

/** What a judgement requires of a history. */
export interface HistoryNeeds {
  samples: number;
  /** Seconds between two samples; 0 if unknown. */
  interval: number;
}

/**
 * A judgement needs {@link FEWEST_SAMPLES} of history, and at least as many as the window has, so that a window is
 * never compared with a moment.
 */
export function historyNeeds(series: readonly CheckedSeries[], windowSeconds: number): HistoryNeeds {
  const interval = intervalOf(series) ?? 0;
  // A sample may be missing at either end.
  const inWindow = interval > 0 ? Math.floor((windowSeconds / interval) * 0.9) : 0;
  return { samples: Math.max(FEWEST_SAMPLES, inWindow), interval };
}

/** How much history a series has. @param first its first sample; absent: none */
export function learnedOf(
  samples: number,
  first: number | undefined,
  needs: HistoryNeeds,
  history: TimeWindow,
): Learned {
  const missing = first === undefined ? Number.POSITIVE_INFINITY : first - history.from;
  const late = Math.max((history.to - history.from) * 0.1, needs.interval * 1.5);
  return { samples, needed: needs.samples, isGrowing: missing > late };
}

/** The furthest of several deviations, or undefined for none. */
export function furthest(learned: readonly Learned[]): Learned | undefined {
  return learned.toSorted((a, b) => b.samples / b.needed - a.samples / a.needed)[0];
}

/** Why a complete history is still too short. */
export function tooSparse({ samples, needed }: Learned): string {
  return `the history has ${samples} samples, but the check needs ${needed}: increase history_seconds`;
}

export const learning = ({ samples, needed }: Learned): string => `learning: ${samples} of ${needed} points`;
