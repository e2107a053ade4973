import { information } from './evidence.ts';
import type { StepComparison } from './log-patterns/compare-steps.ts';
import type { TemplateComparison } from './log-patterns/compare.ts';
import type { CauseEvidence } from './types.ts';

/** What a new line weighs by its level; ordinary lines follow the mix of requests. */
const WEIGHT = { error: 1, warn: 0.4, other: 0 };
/** A line that became rarer also follows the mix of requests; one that ceased does so less. */
const RARER_WEIGHT = 0.6;

/** From how often lines are logged. */
export function logEvidence(comparison: readonly TemplateComparison[]): ServiceEvidence {
  return collect(comparison, (one) => {
    const { level, template, example, before, after, score, onset } = one;
    const weight = score < 0 ? (after === 0 ? 1 : RARER_WEIGHT) : WEIGHT[severityOf(level)];
    if (score === 0 || weight === 0) return undefined;
    const kind = score < 0 ? 'missing_logs' : before === 0 ? 'new_logs' : 'log_rate';
    return {
      kind,
      strength: weight * information(Math.abs(score)),
      statement: statementOf(one, kind),
      template,
      example,
      ...(level !== undefined && { level }),
      ...(onset !== undefined && { onset }),
      before,
      after,
      unit: 'per thousand log lines',
    };
  });
}

/** Errors, warnings and ends (undefined). Which other line comes next also depends on what was asked. */
export function tellsFailure(next: { level?: string } | undefined): boolean {
  return next === undefined || WEIGHT[severityOf(next.level)] > 0;
}

/** From what executions log next, where it {@link tellsFailure}. */
export function stepEvidence(comparison: readonly StepComparison[]): ServiceEvidence {
  return collect(comparison, ({ service, operation, after: last, next, share }) => {
    const { before, after, score, onset } = share;
    const severity = next === undefined ? 'error' : severityOf(next.level);
    if (score <= 0 || !tellsFailure(next)) return undefined;
    const what = next === undefined ? 'nothing more' : { error: 'an error', warn: 'a warning', other: '' }[severity];
    const where = last === undefined ? `of \`${operation}\`` : 'that come to one line';
    return {
      kind: next === undefined ? 'missing_logs' : before === 0 ? 'new_logs' : 'log_rate',
      strength: WEIGHT[severity] * information(score),
      statement: `${service} logs ${what} in ${percent(after)} of the executions ${where}; ${percent(before)} before.`,
      operation,
      ...(next ?? last),
      ...(onset !== undefined && { onset }),
      before: 100 * before,
      after: 100 * after,
      unit: '%',
    };
  });
}

type ServiceEvidence = Map<string, CauseEvidence[]>;

function collect<Compared extends { service: string }>(
  comparison: readonly Compared[],
  evidenceOf: (one: Compared) => CauseEvidence | undefined,
): ServiceEvidence {
  const found: ServiceEvidence = new Map();
  for (const one of comparison) {
    const evidence = evidenceOf(one);
    if (evidence === undefined) continue;
    const list = found.get(one.service);
    if (list === undefined) found.set(one.service, [evidence]);
    else list.push(evidence);
  }
  for (const list of found.values()) list.sort((a, b) => b.strength - a.strength);
  return found;
}

function severityOf(level: string | undefined): keyof typeof WEIGHT {
  if (level === undefined) return 'other';
  if (/^(err|error|fatal|crit|critical|panic|alert|emerg)/i.test(level)) return 'error';
  return /^warn/i.test(level) ? 'warn' : 'other';
}

function statementOf({ service, level, linesAfter }: TemplateComparison, kind: CauseEvidence['kind']): string {
  const severity = { error: 'error', warn: 'warning', other: 'message' }[severityOf(level)];
  if (kind === 'new_logs') return `${service} logged a new ${severity} ${linesAfter} times.`;
  const article = severity === 'error' ? 'an' : 'a';
  if (kind === 'missing_logs') return `${service} logs ${article} ${severity} less often than its traffic explains.`;
  return `${service} logs ${article} ${severity} more often than before.`;
}

const percent = (share: number): string => `${Number((100 * share).toPrecision(2))} %`;
