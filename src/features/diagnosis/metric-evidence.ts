import { metricStatement } from './reason.ts';
import type { CauseEvidence, SeriesAnomaly } from './types.ts';

/** A moved metric as evidence of the given strength and surprise. */
export function metricEvidence(anomaly: SeriesAnomaly, strength: number, surprise: number): CauseEvidence {
  const { baselineMedian: before, incidentValue: after, onset, unit } = anomaly;
  return {
    kind: 'metric',
    strength,
    surprise,
    statement: metricStatement(anomaly),
    ...(onset === undefined ? {} : { onset }),
    before,
    after,
    unit: unit ?? '',
  };
}
