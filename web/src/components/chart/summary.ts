/** Describes a chart in a sentence. */
import type { Schema } from '../../api/client.ts';
import { visibleText } from '../text-viewer/visible.ts';
import { formatValue } from './units.ts';

type Series = Schema<'ChartSeries'>;

/** Names come from telemetry, which anybody may write: cut long ones, make everything visible. */
export function shortened(name: string, most: number): string {
  const shown = visibleText(name.slice(0, most));
  return name.length > most ? `${shown}…` : shown;
}

/** The label of the series, with its service unless the label names it. */
export function nameOf({ label, service }: Pick<Series, 'label' | 'service'>): string {
  return shortened(service === null || label.includes(service) ? label : `${service} ${label}`, 80);
}

function sentence(series: Series, time: (at: string) => string): string {
  const { anomaly, unit } = series;
  const { baseline_median: before, incident_value: after, onset } = anomaly ?? {};
  if (typeof before !== 'number' || typeof after !== 'number') return `${nameOf(series)} is anomalous`;
  const verb = after > before ? 'rose' : after < before ? 'fell' : 'varied around';
  const figures =
    after === before ? formatValue(after, unit) : `from ${formatValue(before, unit)} to ${formatValue(after, unit)}`;
  return `${nameOf(series)} ${verb} ${figures}${onset ? ` at ${time(onset)}` : ''}`;
}

/**
 * @param time formats a time
 * @example summaryOf(data.series, clock) // 'payment p95 rose from 120 ms to 2.4 s at 14:02. 2 more series deviated.'
 */
export function summaryOf(series: readonly Series[], time: (at: string) => string): string {
  const compared = series.filter(({ anomaly }) => anomaly !== null);
  const moved = compared
    .filter(({ anomaly }) => anomaly?.onset)
    .sort((a, b) => Math.abs(b.anomaly?.score ?? 0) - Math.abs(a.anomaly?.score ?? 0));
  const [worst] = moved;
  const many = `${series.length} series`;
  if (worst === undefined) {
    return compared.length === 0
      ? `${many}, not compared with a baseline.`
      : `${many}; none deviated from the baseline.`;
  }
  const others = moved.length - 1;
  const rest = others === 0 ? '' : ` ${others} more series deviated.`;
  return `${sentence(worst, time)}.${rest}`;
}
