import type { MetricSeries } from '../../src/features/diagnosis/index.ts';
import { toSample } from './csv.ts';

export interface Column {
  service: string;
  metric: string;
  statistic?: string;
  /** Place of its cells in a row. */
  cell: number;
}

/** One series per column; columns of one name are one series, the first that has a sample counts. */
export function columnSeries(
  columns: readonly Column[],
  samples: ReadonlyArray<{ time: number; row: readonly string[] }>,
): MetricSeries[] {
  const timestamps = samples.map(({ time }) => time);
  const byKey = new Map<string, MetricSeries>();
  for (const { cell, ...name } of columns) {
    const values = samples.map(({ row }) => toSample(row[cell]));
    const same = byKey.get(keyOf(name));
    if (same === undefined) byKey.set(keyOf(name), { ...name, timestamps, values });
    else values.forEach((value, i) => (same.values[i] = Number.isNaN(same.values[i]!) ? value : same.values[i]!));
  }
  return [...byKey.values()];
}

/** Both recordings as one series each, ascending in time, whichever was made first. */
export function joinSeries(healthy: readonly MetricSeries[], faulty: readonly MetricSeries[]): MetricSeries[] {
  const joined = new Map(healthy.map((one) => [keyOf(one), one]));
  for (const one of faulty) {
    const other = joined.get(keyOf(one));
    joined.set(keyOf(one), other === undefined ? one : concatenate(other, one));
  }
  return [...joined.values()];
}

function concatenate(a: MetricSeries, b: MetricSeries): MetricSeries {
  const [first, second] = (a.timestamps[0] ?? 0) <= (b.timestamps[0] ?? 0) ? [a, b] : [b, a];
  return {
    ...a,
    timestamps: [...first.timestamps, ...second.timestamps],
    values: [...first.values, ...second.values],
  };
}

function keyOf({ service, metric, statistic }: Omit<Column, 'cell'>): string {
  return JSON.stringify([service, metric, statistic]);
}
