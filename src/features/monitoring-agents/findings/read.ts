import { shownStatus } from '../../runs/index.ts';
import type { EntityManager } from '../../../db/orm.ts';
import { forTeam } from '../../../db/team-filter.ts';
import { Investigation } from '../../investigations/index.ts';
import type { FindingRef } from '../contract.ts';
import { Effect } from '../../effects/index.ts';
import { NOTIFICATION } from '../../notifications/index.ts';
import { Finding, MonitoringAgent } from '../entities.ts';
import type { ReadFindingResult } from './contract.ts';
import type { FindingDeps } from './deps.ts';
import { isToBeInvestigated, isToBeJudged, nextNotice } from './due.ts';
import { settlesAt } from './reduce.ts';
import { stateOf } from './rows.ts';

/** A finding, and the next steps for it. */
export async function readFinding(deps: FindingDeps, ref: FindingRef): Promise<ReadFindingResult> {
  const em = forTeam(deps.orm.em, ref.teamId);
  const finding = await findPresent(em, ref.findingId);
  if (!finding) return { gone: true };
  const [investigation, notified] = await Promise.all([
    investigationOf(em, finding),
    notifiedOf(forTeam(deps.orm.em, ref.teamId), finding.id),
  ]);
  const notice = nextNotice(finding, notified, investigation);
  return {
    gone: false,
    title: titleOf(finding),
    status: finding.status,
    isFlapping: finding.isFlapping,
    revision: finding.revision,
    toJudge: isToBeJudged(finding),
    toInvestigate: isToBeInvestigated(finding, investigation, deps.clock.now().getTime()),
    settlesAt: settlesAt(stateOf(finding)),
    ...(finding.service !== null && { service: finding.service }),
    ...(finding.judgement?.isWorthIt === false && { notWorthIt: finding.judgement.reason.slice(0, 200) }),
    ...(notice && { notice }),
    ...(investigation && { investigation: { id: investigation.id, status: shownStatus(investigation.status) } }),
  };
}

/** A finding, unless its agent was deleted. @param em bound to the team */
export async function findPresent(em: EntityManager, findingId: string): Promise<Finding | null> {
  const finding = await em.findOne(Finding, { id: findingId });
  return finding && (await isPresent(em, finding)) ? finding : null;
}

/** Whether a finding's agent still exists. @param em bound to the team */
export const isPresent = async (em: EntityManager, { agentId }: Pick<Finding, 'agentId'>): Promise<boolean> =>
  agentId === null || (await em.count(MonitoringAgent, { id: agentId })) > 0;

/** The last investigation that a finding opened, without its long texts. */
export async function investigationOf(em: EntityManager, { investigationId }: Finding) {
  if (investigationId === null) return undefined;
  const found = await em.findOne(
    Investigation,
    { id: investigationId },
    { fields: ['id', 'teamId', 'query', 'status', 'createdAt'] },
  );
  return found ?? undefined;
}

/** The notifications of a finding, the oldest first. @param em bound to the team */
export const notifiedOf = (em: EntityManager, findingId: string): Promise<Pick<Effect, 'key' | 'status'>[]> =>
  em.find(
    Effect,
    { subjectId: findingId, kind: NOTIFICATION },
    { fields: ['key', 'status'], orderBy: { createdAt: 'asc', id: 'asc' } },
  );

/** The model's title, or the reported one; one line. */
export const titleOf = ({ judgement, title }: Pick<Finding, 'judgement' | 'title'>): string =>
  judgement?.title ?? title;
