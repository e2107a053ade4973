/** Median, spread parts and size of a sample; everything NaN when it is empty. */
export interface SampleSummary {
  count: number;
  median: number;
  interquartileRange: number;
  standardDeviation: number;
}

/** How many values of a sample lie beyond some level. */
export interface Beyond {
  beyond: number;
  of: number;
}

/**
 * Information in nats that a part differs from health: -log of the probability (its Chernoff bound) that as many of its
 * values lie beyond a level, if each did so as often as healthy ones. However far two values lie off, they are two;
 * however little a hundred do, they are a hundred.
 */
export function surpriseOf(part: Beyond, healthy: Beyond): number {
  const usual = (healthy.beyond + 1) / (healthy.of + 2);
  const share = part.beyond / part.of;
  if (!(share > usual)) return 0;
  const rest = share < 1 ? (1 - share) * Math.log((1 - share) / (1 - usual)) : 0;
  return part.of * (share * Math.log(share / usual) + rest);
}

/**
 * The `rank`-th smallest (0-based) of `sample[0..count)`, reordering it in place so that everything left of `rank` is
 * not larger. Hoare's selection: linear on average, which is what lets ten thousand series be ranked within a second.
 */
export function selectInPlace(sample: Float64Array, rank: number, low: number, high: number): number {
  let left = low;
  let right = high;
  while (left < right) {
    const pivot = medianOfThree(sample[left]!, sample[(left + right) >>> 1]!, sample[right]!);
    let i = left;
    let j = right;
    while (i <= j) {
      while (sample[i]! < pivot) i++;
      while (sample[j]! > pivot) j--;
      if (i <= j) {
        const swapped = sample[i]!;
        sample[i] = sample[j]!;
        sample[j] = swapped;
        i++;
        j--;
      }
    }
    if (rank <= j) right = j;
    else if (rank >= i) left = i;
    else break;
  }
  return sample[rank]!;
}

/**
 * The `q`-quantile (0..1) of `sample[0..count)` with linear interpolation between order statistics. Reorders the
 * sample. NaN when `count` is 0.
 */
export function quantileInPlace(sample: Float64Array, count: number, q: number): number {
  if (count === 0) return Number.NaN;
  const position = (count - 1) * q;
  const rank = Math.floor(position);
  const lower = selectInPlace(sample, rank, 0, count - 1);
  const fraction = position - rank;
  if (fraction === 0 || rank + 1 >= count) return lower;
  let upper = Number.POSITIVE_INFINITY;
  for (let i = rank + 1; i < count; i++) {
    if (sample[i]! < upper) upper = sample[i]!;
  }
  return lower + (upper - lower) * fraction;
}

/** Summarizes `sample[0..count)`; reorders it. */
export function summarizeInPlace(sample: Float64Array, count: number): SampleSummary {
  if (count === 0) {
    return {
      count: 0,
      median: Number.NaN,
      interquartileRange: Number.NaN,
      standardDeviation: Number.NaN,
    };
  }
  let sum = 0;
  for (let i = 0; i < count; i++) sum += sample[i]!;
  const mean = sum / count;
  let squares = 0;
  for (let i = 0; i < count; i++) {
    const deviation = sample[i]! - mean;
    squares += deviation * deviation;
  }
  const median = quantileInPlace(sample, count, 0.5);
  const interquartileRange = quantileInPlace(sample, count, 0.75) - quantileInPlace(sample, count, 0.25);
  return { count, median, interquartileRange, standardDeviation: Math.sqrt(squares / count) };
}

/** Makes the median absolute deviation of a normal sample its standard deviation; and the same for the mean one. */
const MAD_TO_SIGMA = 1.4826;
const MEAN_DEVIATION_TO_SIGMA = 1.2533;

/** What is normal for a sample, even if half of it is arbitrary. */
export interface RobustSummary {
  count: number;
  median: number;
  /**
   * Robust standard deviation: from the median absolute deviation, or where more than half of the sample is one value
   * from the mean absolute deviation (Iglewicz and Hoaglin 1993). 0 when the whole sample is one value.
   */
  sigma: number;
}

/** Median and robust standard deviation of finite values; NaN when there are none. */
export function robustSummary(values: readonly number[]): RobustSummary {
  const sample = Float64Array.from(values);
  const count = sample.length;
  const median = quantileInPlace(sample, count, 0.5);
  let sum = 0;
  for (let i = 0; i < count; i++) {
    sample[i] = Math.abs(sample[i]! - median);
    sum += sample[i]!;
  }
  const deviation = quantileInPlace(sample, count, 0.5);
  return {
    count,
    median,
    sigma: deviation > 0 ? deviation * MAD_TO_SIGMA : (sum / count) * MEAN_DEVIATION_TO_SIGMA,
  };
}

/** The `q`-quantile (0..1) of finite values; NaN when there are none. */
export function quantile(values: readonly number[], q: number): number {
  return quantileInPlace(Float64Array.from(values), values.length, q);
}

/** Smallest and largest of `sample[0..count)`; infinities when it is empty. */
export function extremes(sample: Float64Array, count: number): [low: number, high: number] {
  let low = Number.POSITIVE_INFINITY;
  let high = Number.NEGATIVE_INFINITY;
  for (let i = 0; i < count; i++) {
    const value = sample[i]!;
    if (value < low) low = value;
    if (value > high) high = value;
  }
  return [low, high];
}

/** First index whose timestamp is >= `time` (`timestamps` ascending). */
export function lowerBound(timestamps: readonly number[], time: number): number {
  let low = 0;
  let high = timestamps.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (timestamps[middle]! < time) low = middle + 1;
    else high = middle;
  }
  return low;
}

function medianOfThree(a: number, b: number, c: number): number {
  return Math.max(Math.min(a, b), Math.min(Math.max(a, b), c));
}
