import { information } from './evidence.ts';
import type { TemplateComparison } from './log-patterns/compare.ts';
import type { CauseEvidence } from './types.ts';

/** What a new line weighs by its level; ordinary lines follow the mix of requests. */
const WEIGHT = { error: 1, warn: 0.4, other: 0 };
/** A line that became rarer also follows the mix of requests; one that ceased does so less. */
const RARER_WEIGHT = 0.6;

export function logEvidence(comparison: readonly TemplateComparison[]): Map<string, CauseEvidence[]> {
  const found = new Map<string, CauseEvidence[]>();
  for (const one of comparison) {
    const { service, level, template, example, before, after, score, onset } = one;
    const weight = score < 0 ? (after === 0 ? 1 : RARER_WEIGHT) : WEIGHT[severityOf(level)];
    if (score === 0 || weight === 0) continue;
    const kind = score < 0 ? 'missing_logs' : before === 0 ? 'new_logs' : 'log_rate';
    const evidence: CauseEvidence = {
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
    const list = found.get(service);
    if (list === undefined) found.set(service, [evidence]);
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
