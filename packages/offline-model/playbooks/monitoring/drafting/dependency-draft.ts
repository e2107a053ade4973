/** Checks of the calls between two services. */
import type { SaidLimit } from '../reading/thresholds.ts';
import type { Wish } from '../reading/wish.ts';
import { boundedWindow, windowFor } from './conditions.ts';
import { only, periodFor, recorded, type DraftContext, type Outcome } from './draft-types.ts';
import { sourceWith } from './telemetry.ts';

/** Failed calls by all calls, where no limit is named. */
const USUAL_LIMIT = 0.05;

export function dependencyDraft(
  { telemetry }: DraftContext,
  wish: Wish,
  subject: Extract<Wish['subject'], { kind: 'dependency' }>,
): Outcome {
  const { caller, callee, isMissing, limit } = subject;
  const source = sourceWith(telemetry, 'dependencies', caller) ?? sourceWith(telemetry, 'dependencies', callee);
  const calls = `calls from ${caller ?? 'anywhere'} to ${callee ?? 'anywhere'}`;
  if (!source) return { drafts: [], calls: [], problems: [`No source that I can read shows ${calls}.`] };
  const { condition, note, what } = dependencyCondition(isMissing, limit);
  return only({
    wish,
    title: `${what} ${calls}`,
    subject: {
      type: 'dependency',
      source: source.id,
      ...(caller !== undefined && { caller }),
      ...(callee !== undefined && { callee }),
      window_seconds: boundedWindow(limit.sustained ?? limit.within ?? windowFor(periodFor(wish.settings))),
      condition,
    },
    parts: [caller, 'to', callee, condition.type.replace('_', '-')],
    notes: [...(note === undefined ? [] : [note]), ...recorded(source)],
  });
}

function dependencyCondition(isMissing: boolean, { threshold }: SaidLimit) {
  if (isMissing) return { condition: { type: 'missing' as const }, what: 'Missing' };
  const unit = threshold?.unit?.toLowerCase() ?? '';
  const time = /^(?:ms|milli\w*)$/.test(unit) ? 0.001 : /^s(?:ec\w*)?$/.test(unit) ? 1 : undefined;
  if (threshold && time !== undefined) {
    return {
      condition: { type: 'p95_seconds' as const, above: Math.max(0, Number((threshold.value * time).toPrecision(12))) },
      what: 'Latency of',
    };
  }
  const given = threshold && (/%|per/.test(unit) || threshold.value > 1 ? threshold.value / 100 : threshold.value);
  const above = Math.min(1, Math.max(0, Number((given ?? USUAL_LIMIT).toPrecision(12))));
  const note = threshold ? undefined : 'You name no limit for calls between services; I take 5 % of them failing.';
  return { condition: { type: 'error_ratio' as const, above }, what: 'Errors of', note };
}
