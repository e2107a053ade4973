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
  const name = strongest.statistic ? `${strongest.metric} (${strongest.statistic})` : strongest.metric;
  const change =
    `${name} went from ${figure(strongest.baselineMedian)} to ${figure(strongest.incidentValue)}` +
    `, ${figure(Math.abs(strongest.score))} times its usual spread.`;
  return `${change} ${calleeSentence(own, bestCallee)}${outsideReason[tier] ?? ''}`;
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

function figure(value: number): string {
  if (!Number.isFinite(value)) return 'unknown';
  return String(Number(value.toPrecision(3)));
}
