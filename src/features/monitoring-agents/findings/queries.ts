import type { FilterQuery } from '@mikro-orm/core';
import type { EntityManager } from '../../../db/orm.ts';
import { forTeam } from '../../../db/team-filter.ts';
import { Effect } from '../../effects/index.ts';
import type { InvestigationStatus } from '../../investigations/contract.ts';
import { Investigation } from '../../investigations/index.ts';
import { NOTIFICATION } from '../../notifications/index.ts';
import { shownStatus } from '../../runs/index.ts';
import type { FindingRef, FindingStatus, Severity } from '../contract.ts';
import { Membership } from '../../identity/index.ts';
import { Finding, FindingAct, MonitoringAgent } from '../entities.ts';
import type { ReadFindingResult } from './contract.ts';
import type { FindingDeps } from './deps.ts';
import { isToBeInvestigated, isToBeJudged, nextNotice, noticeChangesAt } from './due.ts';
import { settlesAt } from './reduce.ts';
import { stateOf } from './rows.ts';

export interface FindingQuery {
  /** Absent: all agents of the team, and alerts of none. */
  agentId?: string;
  /** Absent: all but `pending` ones, which are requested by name. */
  status?: FindingStatus;
  severity?: Severity;
  /** Filter by assignee. */
  assigneeId?: string;
  /** Only those that opened it last. */
  investigationId?: string;
  service?: string;
  origin?: Finding['origin'];
  /** Opened at or after it. */
  from?: string;
  /** Opened before it. */
  to?: string;
  /** 1-based. */
  page: number;
  count: number;
}

/** The team's findings, the newest first; without those of deleted agents. @param em bound to the team */
export async function listFindings(
  em: EntityManager,
  wanted: FindingQuery,
): Promise<{ items: Finding[]; total: number }> {
  const { agentId, status, severity, assigneeId, investigationId, service, origin, from, to, page, count } = wanted;
  const [items, total] = await em.findAndCount(
    Finding,
    {
      $and: [
        await ofPresentAgents(em),
        agentId === undefined ? {} : { agentId },
        { status: status ?? { $ne: 'pending' }, ...(severity && { severity }) },
        assigneeId === undefined ? {} : { assigneeUserId: assigneeId },
        investigationId === undefined ? {} : { investigationId },
        service === undefined ? {} : { service },
        origin === undefined ? {} : { origin },
        from === undefined ? {} : { openedAt: { $gte: new Date(from) } },
        to === undefined ? {} : { openedAt: { $lt: new Date(to) } },
      ],
    },
    { orderBy: { openedAt: 'desc', createdAt: 'desc', id: 'desc' }, limit: count, offset: (page - 1) * count },
  );
  return { items, total };
}

/** A deleted agent disappears for everybody, although its rows remain until nothing works on them any longer. */
async function ofPresentAgents(em: EntityManager): Promise<FilterQuery<Finding>> {
  const filters = { present: false };
  const deleted = await em.find(MonitoringAgent, { deletedAt: { $ne: null } }, { fields: ['id'], filters });
  if (deleted.length === 0) return {};
  return { $or: [{ agentId: null }, { agentId: { $nin: deleted.map(({ id }) => id) } }] };
}

/** What findings refer to, by id. */
export interface FindingRefs {
  agentTitles: ReadonlyMap<string, string>;
  investigationStatuses: ReadonlyMap<string, InvestigationStatus>;
  /** The current names of assignees; without those who left the team. */
  memberNames: ReadonlyMap<string, string>;
}

/** The names and states that some findings refer to, in a statement for each kind. @param em bound to the team */
export async function refsOf(
  em: EntityManager,
  findings: readonly Pick<Finding, 'agentId' | 'investigationId' | 'assigneeUserId'>[],
): Promise<FindingRefs> {
  const idsOf = (ids: (string | null)[]): string[] => [...new Set(ids.filter((id) => id !== null))];
  const agentIds = idsOf(findings.map(({ agentId }) => agentId));
  const investigationIds = idsOf(findings.map(({ investigationId }) => investigationId));
  const userIds = idsOf(findings.map(({ assigneeUserId }) => assigneeUserId));
  const [members, agents, investigations] = await Promise.all([
    userIds.length === 0 ? [] : em.fork().find(Membership, { userId: { $in: userIds } }),
    agentIds.length === 0
      ? []
      : em.fork().find(MonitoringAgent, { id: { $in: agentIds } }, { fields: ['id', 'title'] }),
    investigationIds.length === 0
      ? []
      : em.fork().find(Investigation, { id: { $in: investigationIds } }, { fields: ['id', 'status'] }),
  ]);
  return {
    agentTitles: new Map(agents.map(({ id, title }) => [id, title])),
    memberNames: new Map(members.map(({ userId, name }) => [userId, name])),
    investigationStatuses: new Map(investigations.map(({ id, status }) => [id, shownStatus(status)])),
  };
}

export interface FindingDetail {
  finding: Finding;
  evidence: Finding['evidence'];
  /** The oldest first, both. */
  notifications: Effect[];
  acts: FindingAct[];
}

/** One finding with its notifications. @param em bound to the team */
export async function findFinding(em: EntityManager, id: string): Promise<FindingDetail | undefined> {
  const finding = await em.findOne(Finding, { id }, { populate: ['evidence'] });
  if (!finding || !(await isPresent(em, finding))) return undefined;
  const notifications = await em.find(
    Effect,
    { subjectId: id, kind: NOTIFICATION },
    { orderBy: { createdAt: 'asc', id: 'asc' } },
  );
  return { finding, evidence: finding.evidence, notifications, acts: await actsOf(em, id) };
}

/** A finding, and the next steps for it. */
export async function readFinding(deps: FindingDeps, ref: FindingRef): Promise<ReadFindingResult> {
  const em = forTeam(deps.orm.em, ref.teamId);
  const finding = await findPresent(em, ref.findingId);
  if (!finding) return { gone: true };
  const [investigation, notified, acts] = await Promise.all([
    investigationOf(em, finding),
    notifiedOf(forTeam(deps.orm.em, ref.teamId), finding.id),
    actsOf(forTeam(deps.orm.em, ref.teamId), finding.id),
  ]);
  const now = deps.clock.now().getTime();
  const notice = nextNotice(finding, notified, investigation, acts, now);
  const changes = [settlesAt(stateOf(finding)), noticeChangesAt(finding, now)].filter((time) => time !== null);
  return {
    gone: false,
    title: titleOf(finding),
    status: finding.status,
    isFlapping: finding.isFlapping,
    revision: finding.revision,
    toJudge: isToBeJudged(finding),
    toInvestigate: isToBeInvestigated(finding, investigation, now),
    settlesAt: changes.length === 0 ? null : Math.min(...changes),
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
const isPresent = async (em: EntityManager, { agentId }: Pick<Finding, 'agentId'>): Promise<boolean> =>
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

/** What people did with a finding, the oldest first. @param em bound to the team */
export const actsOf = (em: EntityManager, findingId: string): Promise<FindingAct[]> =>
  em.find(FindingAct, { findingId }, { orderBy: { createdAt: 'asc', id: 'asc' } });

/** The model's title, or the reported one; one line. */
const titleOf = ({ judgement, title }: Pick<Finding, 'judgement' | 'title'>): string => judgement?.title ?? title;
