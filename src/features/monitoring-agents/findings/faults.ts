import type { EntityManager } from '../../../db/orm.ts';
import type { KnownFaults } from '../checks/port.ts';
import type { FindingSource } from '../entities.ts';
import { sourcePrefix } from './rows.ts';

/** Findings of a check that are read, the newest first. */
const MAX_FINDINGS = 2_000;

/**
 * When the subjects of a check were at fault, by its findings: also before they were confirmed. What a person closed
 * is no fault.
 * @param em bound to the agent's team
 * @param asked.since leaves out what was over by then, unix seconds
 */
export async function faultsOfCheck(
  em: EntityManager,
  { agentId, checkId, since }: { agentId: string; checkId: string; since: number },
): Promise<KnownFaults> {
  const prefix = sourcePrefix(checkId);
  const rows = await em.execute<{ key: string; faults: NonNullable<FindingSource['faults']> }[]>(
    `select source.key, source.value -> 'faults' as faults
       from (select sources from monitoring_findings
              where agent_id = ? and closed_by is null and (status <> 'closed' or closed_at > ?) order by updated_at desc limit ?) finding,
            jsonb_each(finding.sources) as source (key, value)
      where starts_with(source.key, ?) and source.value -> 'faults' is not null`,
    [agentId, new Date(since * 1_000), MAX_FINDINGS, prefix],
  );
  const known = new Map<string, { from: number; to: number }[]>();
  for (const { key, faults } of rows) {
    const subject = key.slice(prefix.length);
    const periods = faults.map(([from, to]) => ({ from: from / 1_000, to: to === null ? Infinity : to / 1_000 }));
    known.set(subject, [...(known.get(subject) ?? []), ...periods.filter(({ to }) => to > since)]);
  }
  return known;
}
