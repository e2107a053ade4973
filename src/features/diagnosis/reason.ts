import { changeSentence } from '@casebook/wording';
import type { CauseEvidence, SeriesAnomaly } from './types.ts';

const outsideReason = ['', ' The alerting service does not depend on it.', ' It only forwards calls.'];

export interface CauseFacts {
  /** Of the metrics. */
  own: number;
  bestCallee?: { service: string; score: number };
  tier: number;
  /** Strongest first. */
  evidence: readonly CauseEvidence[];
}

/** One or two plain sentences: the strongest evidence with its figures, then what the callees' metrics show. */
export function explainCause({ own, bestCallee, tier, evidence }: CauseFacts): string {
  const strongest = evidence[0];
  if (strongest === undefined) return `No harmful change in the service itself.${outsideReason[tier] ?? ''}`;
  const callees = strongest.kind === 'metric' ? ` ${calleeSentence(own, bestCallee)}` : '';
  return `${strongest.statement}${callees}${outsideReason[tier] ?? ''}`;
}

/** ``Error rate (`error_ratio`) rose from 0 % to 100 % at 14:10:14 UTC.`` */
export function metricStatement({
  metric,
  statistic,
  unit,
  baselineMedian,
  incidentValue,
  onset,
}: SeriesAnomaly): string {
  return changeSentence({
    metric,
    ...(statistic !== undefined && { statistic }),
    ...(unit !== undefined && { unit }),
    before: Number.isFinite(baselineMedian) ? baselineMedian : null,
    after: Number.isFinite(incidentValue) ? incidentValue : null,
    at: onset === undefined ? null : new Date(onset * 1_000).toISOString(),
  });
}

function calleeSentence(own: number, callee: CauseFacts['bestCallee']): string {
  if (callee === undefined) return 'None of its dependencies shows a harmful change.';
  const relation =
    callee.score > own
      ? 'shows stronger evidence and may explain it'
      : callee.score > own / 2
        ? 'shows comparable evidence'
        : 'shows much weaker evidence';
  return `Its dependency ${callee.service} ${relation}.`;
}
