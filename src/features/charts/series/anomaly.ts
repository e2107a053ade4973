/** How a result's series compare with their baseline. */
import { isoOf, numberOf, timeOf, type Cell, type Table } from '../tables/index.ts';
import type { FoundSeries } from './series-in.ts';

type Anomaly = FoundSeries['series'][number]['anomaly'];

/** Read from the per-series columns of each sample; null if the result makes no comparison. */
export function anomalyIn(table: Table, row: readonly Cell[]): Anomaly {
  const cell = (name: string): Cell =>
    row[table.columns.findIndex((column) => column.name === `anomaly.${name}`)] ?? null;
  const score = numberOf(cell('score'));
  if (score === undefined) return null;
  const direction = cell('direction');
  const onset = timeOf(cell('onset'), 'iso');
  return {
    score,
    direction: direction === 'up' || direction === 'down' ? direction : 'either',
    onset: onset === undefined ? null : isoOf(onset),
    baseline_median: numberOf(cell('baseline_median')) ?? null,
    baseline_spread: numberOf(cell('baseline_spread')) ?? null,
    incident_value: numberOf(cell('incident_value')) ?? null,
  };
}

/** From the onset of the series that moved most to the end of the queried window. */
export function anomalyWindow(
  series: FoundSeries['series'],
  window: FoundSeries['window'],
): FoundSeries['anomaly_window'] {
  const moved = series.filter(({ anomaly }) => anomaly !== null && anomaly.onset !== null);
  const [worst] = moved.toSorted((a, b) => Math.abs(b.anomaly?.score ?? 0) - Math.abs(a.anomaly?.score ?? 0));
  const from = worst?.anomaly?.onset;
  const to = window?.to ?? worst?.points.at(-1)?.[0];
  if (!from || !to || Date.parse(from) > Date.parse(to)) return null;
  return { from, to };
}
