/** What is usual of a series by its own history, and how far a value is from it. Pure. */
import { leastSpread, metricMeaning, robustSummary, shareScale } from '../../diagnosis/index.ts';
import type { TimeWindow } from '../../sources/port.ts';
import { intervalOf, type CheckedSeries } from './series.ts';

/** With fewer samples a robust deviation is a guess: its own error is then a sixth of it or more. */
export const FEWEST_SAMPLES = 20;
/** Half a point is what a few failures among hundreds of requests make: less is not told apart from none. */
const ERROR_SHARE_STEP = 0.005;

export interface Usual {
  median: number;
  /** Robust standard deviation, at least what is measurement noise; 0 where every sample was 0. */
  sigma: number;
}

/**
 * What the values of a series usually are: by the whole history, and by its older half where that is long enough. A
 * fault that has lasted for half of the history has become its median; the older half remembers what was before it.
 * @param past values of the history, in time order
 * @param older how many of them are of its older half
 * @param scatter whose scatter counts for the older half: its `own` tells a long fault best; that of the `whole` does not
 *   take a steady trend for a deviation
 */
export function usualsOf(
  series: CheckedSeries,
  past: readonly number[],
  older: number,
  scatter: 'own' | 'whole',
): [Usual, ...Usual[]] {
  const whole = robustSummary(past);
  const first = usual(series, whole.median, whole.sigma);
  if (older < FEWEST_SAMPLES || older === past.length) return [first];
  const half = robustSummary(past.slice(0, older));
  return [first, usual(series, half.median, scatter === 'own' ? half.sigma : whole.sigma)];
}

function usual({ metric, statistic, unit }: CheckedSeries, median: number, sigma: number): Usual {
  const meaning = metricMeaning(metric, statistic);
  const step = meaning === 'errors' ? ERROR_SHARE_STEP * (shareScale(unit) ?? 0) : 0;
  return { median, sigma: Math.max(sigma, leastSpread(unit, median, meaning), step) };
}

/** The usual value that a value is furthest from, in the direction that counts. */
export function furthestFrom(
  value: number,
  usuals: readonly [Usual, ...Usual[]],
  towards: (deviations: number) => number,
): { usual: Usual; deviations: number; towards: number } {
  const compared = usuals.map((one) => {
    const distance = deviations(value, one);
    return { usual: one, deviations: distance, towards: towards(distance) };
  });
  return compared.reduce((most, one) => (one.towards > most.towards ? one : most));
}

/**
 * How many robust standard deviations a value is above (positive) or below the median. Infinite where every sample of
 * the history was 0 and the value is not: what is unusual has then no unit.
 */
function deviations(value: number, { median, sigma }: Usual): number {
  const distance = value - median;
  return distance === 0 ? 0 : distance / sigma;
}

/** How much of a history is there. */
export interface Learned {
  /** Samples of the history. */
  samples: number;
  /** What is needed before anything is judged. */
  needed: number;
  /** The history begins later than it was asked for: it will be longer. */
  isGrowing: boolean;
}

/** What a judgement needs of a history. */
export interface HistoryNeeds {
  samples: number;
  /** Seconds between two samples; 0 where it cannot be told. */
  interval: number;
}

/**
 * A judgement needs {@link FEWEST_SAMPLES} of history, and as many as the window has, so that a window is never compared
 * with a moment.
 */
export function historyNeeds(series: readonly CheckedSeries[], windowSeconds: number): HistoryNeeds {
  const interval = intervalOf(series) ?? 0;
  // A sample may be missing at either end.
  const inWindow = interval > 0 ? Math.floor((windowSeconds / interval) * 0.9) : 0;
  return { samples: Math.max(FEWEST_SAMPLES, inWindow), interval };
}

/** How much of the history of a series there is. @param first its first sample; absent: it has none */
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

/** The one of several that is furthest, or undefined when there are none. */
export function furthest(learned: readonly Learned[]): Learned | undefined {
  return learned.toSorted((a, b) => b.samples / b.needed - a.samples / a.needed)[0];
}

/** Why a history that is there in full is still too little. */
export function tooSparse({ samples, needed }: Learned): string {
  return `the history holds ${samples} samples, ${needed} are needed: lengthen history_seconds`;
}

export const learning = ({ samples, needed }: Learned): string => `learning: ${samples} of ${needed} points`;
