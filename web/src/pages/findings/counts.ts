import type { FindingSummary } from './queries.ts';

export type SeverityCounts = Partial<Record<FindingSummary['severity'], number>>;

/** Findings per agent and severity; findings without an agent are skipped. */
export function countByAgent(
  findings: readonly Pick<FindingSummary, 'chat_id' | 'severity'>[],
): ReadonlyMap<string, SeverityCounts> {
  const counts = new Map<string, SeverityCounts>();
  for (const { chat_id: agent, severity } of findings) {
    if (agent === null) continue;
    const known = counts.get(agent) ?? {};
    counts.set(agent, { ...known, [severity]: (known[severity] ?? 0) + 1 });
  }
  return counts;
}
