import { LockMode } from '@mikro-orm/core';
import { forTeam } from '../../../db/team-filter.ts';
import { Finding } from '../entities.ts';
import type { SettleFindingInput } from './contract.ts';
import { store } from './apply.ts';
import type { FindingDeps } from './deps.ts';
import { settle } from './reduce.ts';
import { lockFindings, stateOf } from './rows.ts';

/** Applies what time alone does to a finding: closes it after its cool-down, or calms a flapping one. */
export async function settleFinding(
  { orm }: Pick<FindingDeps, 'orm'>,
  { at, ...ref }: SettleFindingInput,
): Promise<void> {
  await forTeam(orm.em, ref.teamId).transactional(async (em) => {
    const owned = await em.findOne(Finding, { id: ref.findingId }, { fields: ['agentId', 'teamId'] });
    if (!owned) return;
    await lockFindings(em, owned.agentId ?? owned.teamId);
    const where = { id: ref.findingId };
    const finding = await em.findOne(Finding, where, { lockMode: LockMode.PESSIMISTIC_WRITE, refresh: true });
    if (!finding) return;
    const settled = settle(stateOf(finding), at);
    if (settled.change === 'none') return;
    store(em, finding, settled);
    // Its own workflow makes this change: nobody needs to notify it.
    finding.toldRevision = finding.revision;
  });
}
