/** The statistics of a series as results show them. */
import {
  detectOnset,
  harmfulScore,
  seriesAnomaly,
  type MetricSeries,
  type SeriesAnomaly,
  type TimeWindow,
} from '../diagnosis/index.ts';
import type { AnomalyResult } from './results.ts';
import { significant } from './text.ts';
import { toIso } from './time.ts';

/** Below this score a series is quiet, and the onset of its movement means nothing. */
const NOTABLE = 3;

/** Compares a series in a window with its baseline; the series must hold both. */
export function anomalyOf(series: MetricSeries, incident: TimeWindow, baseline: TimeWindow): AnomalyResult {
  const anomaly = seriesAnomaly(series, { incident, baseline });
  const moved = harmfulScore(anomaly) >= NOTABLE;
  const onset = moved ? detectOnset(series, { search: incident, reference: baseline }) : undefined;
  return presentAnomaly({ ...anomaly, onset });
}

export function presentAnomaly(anomaly: SeriesAnomaly): AnomalyResult {
  return {
    meaning: anomaly.meaning,
    direction: anomaly.direction,
    score: significant(anomaly.score),
    baseline_median: known(anomaly.baselineMedian),
    baseline_spread: known(anomaly.baselineSpread),
    incident_value: known(anomaly.incidentValue),
    onset: anomaly.onset === undefined ? null : toIso(anomaly.onset),
  };
}

function known(value: number): number | null {
  return Number.isFinite(value) ? significant(value) : null;
}
