import { changeSentence } from '@casebook/wording';
import type { SeriesAnomaly } from './types.ts';

const outsideReason = [
  '',
  ' It is not among the services the alerting one depends on.',
  ' It carries calls and runs no code of its own.',
];

export interface CauseFacts {
  service: string;
  own: number;
  bestCallee?: { service: string; score: number };
  tier: number;
  signals: readonly SeriesAnomaly[];
}

/** One or two plain sentences: the strongest signal with its figures, then what the callees show. */
export function explainCause({ own, bestCallee, tier, signals }: CauseFacts): string {
  const strongest = signals[0];
  if (strongest === undefined || own === 0) {
    return `No harmful change in its metrics.${outsideReason[tier] ?? ''}`;
  }
  return `${metricStatement(strongest)} ${calleeSentence(own, bestCallee)}${outsideReason[tier] ?? ''}`;
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
  if (callee === undefined) return 'Nothing it calls shows a harmful change.';
  const relation =
    callee.score > own
      ? 'shows stronger evidence and may explain it'
      : callee.score > own / 2
        ? 'shows comparable evidence'
        : 'shows much less';
  return `Among what it calls, ${callee.service} ${relation}.`;
}
