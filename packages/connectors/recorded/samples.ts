/** Series of samples, and operations on them. */

interface TimeWindow {
  /** Unix seconds, half-open. */
  from: number;
  to: number;
}

/** Samples of one series: `timestamps` in unix seconds, ascending; NaN in `values` is a missing sample. */
export interface Samples {
  timestamps: number[];
  values: number[];
}

/**
 * Turns a cumulative counter into a rate per second. The first sample has no rate. A falling counter was reset (its
 * process restarted): its value is what was counted since.
 */
export function counterToRate({ timestamps, values }: Samples): Samples {
  const rates: number[] = [];
  let previous = -1;
  for (let i = 0; i < values.length; i++) {
    const value = values[i]!;
    if (!Number.isFinite(value)) {
      rates.push(Number.NaN);
      continue;
    }
    if (previous < 0) rates.push(Number.NaN);
    else {
      const increase = value >= values[previous]! ? value - values[previous]! : value;
      rates.push(increase / (timestamps[i]! - timestamps[previous]!));
    }
    previous = i;
  }
  return { timestamps, values: rates };
}

/** The samples inside a half-open window. */
export function sliceSamples({ timestamps, values }: Samples, { from, to }: TimeWindow): Samples {
  const kept: Samples = { timestamps: [], values: [] };
  for (let i = 0; i < timestamps.length; i++) {
    const at = timestamps[i]!;
    if (at < from || at >= to) continue;
    kept.timestamps.push(at);
    kept.values.push(values[i]!);
  }
  return kept;
}

/**
 * Reduces a series to at most `maxPoints` samples: the means of equal runs of samples, each at the time of the run's
 * last sample. A shorter series is unchanged.
 */
export function limitPoints(samples: Samples, maxPoints: number): Samples {
  const count = samples.timestamps.length;
  const limit = Math.max(1, Math.floor(maxPoints));
  if (count <= limit) return samples;
  const run = Math.ceil(count / limit);
  const kept: Samples = { timestamps: [], values: [] };
  for (let start = 0; start < count; start += run) {
    const end = Math.min(start + run, count);
    let sum = 0;
    let present = 0;
    for (let i = start; i < end; i++) {
      if (!Number.isFinite(samples.values[i]!)) continue;
      sum += samples.values[i]!;
      present++;
    }
    kept.timestamps.push(samples.timestamps[end - 1]!);
    kept.values.push(present === 0 ? Number.NaN : sum / present);
  }
  return kept;
}

/** Merges several recordings of one series; of samples at the same time, the last recording's counts. */
export function joinSamples(recordings: Samples[]): Samples {
  const byTime = new Map<number, number>();
  for (const { timestamps, values } of recordings) timestamps.forEach((at, i) => byTime.set(at, values[i]!));
  const sorted = [...byTime].sort(([a], [b]) => a - b);
  return { timestamps: sorted.map(([at]) => at), values: sorted.map(([, value]) => value) };
}
