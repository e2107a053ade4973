import { LockMode } from '@mikro-orm/core';
import type { EntityManager } from '../../../db/orm.ts';
import { forTeam } from '../../../db/team-filter.ts';
import type { Actor } from '../../../http/authenticate.ts';
import type { Clock } from '../../../platform/clock.ts';
import { uuidOf } from '../../../platform/uuid.ts';
import { commitInvestigation, describeInvestigation, Investigation } from '../../investigations/index.ts';
import { isOpen, OPEN } from '../../runs/index.ts';
import type { FindingRef } from '../contract.ts';
import { Finding, MonitoringAgent, MonitoringPlanVersion } from '../entities.ts';
import type { InvestigationRef, InvestigationProgress, OpenInvestigationResult } from './contract.ts';
import type { FindingDeps } from './deps.ts';
import { isToBeInvestigated } from './due.ts';
import { investigationQuery } from './prompt.ts';
import { findPresent, investigationOf } from './queries.ts';
import { lockFindings } from './rows.ts';

/**
 * Commits a finding's investigation if one is due; the finding's workflow starts its workflow, or else the sweeper
 * does. Called where the finding is created, it gives the caller the investigation's id before anything has started.
 * @param em in a transaction, bound to the finding's team
 * @param actor who asked for it, if anybody
 * @returns its id; in a burst of findings the id of the investigation it joins; undefined when none is due
 */
export async function commitFindingInvestigation(
  deps: { clock: Clock },
  em: EntityManager,
  findingId: string,
  actor?: Actor,
): Promise<string | undefined> {
  const owned = await em.findOne(Finding, { id: findingId }, { fields: ['agentId', 'teamId'] });
  if (!owned) return undefined;
  // Locked first, as everywhere: an observer of the finding already holds this lock when it reaches the row.
  await lockFindings(em, owned.agentId ?? owned.teamId);
  const lock = { lockMode: LockMode.PESSIMISTIC_WRITE, refresh: true, populate: ['evidence'] as const };
  const finding = await em.findOne(Finding, { id: findingId }, lock);
  return finding ? investigateFinding(deps, em, finding, actor) : undefined;
}

/**
 * As {@link commitFindingInvestigation}, for a finding whose state is known: it was created in this transaction, or its
 * row is locked.
 * @param em holds the lock of the finding's owner, and manages the finding
 */
export async function investigateFinding(
  deps: { clock: Clock },
  em: EntityManager,
  finding: Finding,
  actor?: Actor,
): Promise<string | undefined> {
  const earlier = await investigationOf(em, finding);
  const now = deps.clock.now();
  if (!isToBeInvestigated(finding, earlier, now.getTime())) return undefined;
  const agentId = finding.agentId;
  const joined = await investigationToJoin(em, finding, now);
  if (joined !== undefined) {
    finding.investigationId = joined;
    await em.flush();
    return joined;
  }
  const agent = agentId === null ? null : await em.findOne(MonitoringAgent, { id: agentId });
  const key = `finding ${finding.id} investigation ${finding.revision}`;
  const { id } = await commitInvestigation(deps, em, await onBehalfOf(em, agent, actor, finding), {
    id: uuidOf(key),
    idempotencyKey: key,
    trigger: 'finding',
    query: investigationQuery(finding, agent?.title, finding.evidence),
  });
  finding.investigationId = id;
  await em.flush();
  return id;
}

/**
 * An agent's findings act for whoever wrote its plan, so that an alert from a sender with few permissions is
 * investigated all the same. An alert of no agent that is picked up again without its sender has no grant.
 */
async function onBehalfOf(
  em: EntityManager,
  agent: MonitoringAgent | null,
  sender: Actor | undefined,
  { teamId }: Finding,
): Promise<Actor> {
  if (!agent) return sender ?? { teamId, scopes: [] };
  const plan = await em.findOne(
    MonitoringPlanVersion,
    { agentId: agent.id, version: agent.planVersion },
    { fields: ['scopes'] },
  );
  return { ...sender, teamId, scopes: plan?.scopes ?? [] };
}

/** Findings that begin within this time are likely to be one incident. */
const BURST_MS = 10 * 60_000;
/** Investigations that one agent's findings, or alerts of no agent, open in a burst: each one costs money. */
const MAX_IN_A_BURST = 3;
/** Earlier findings must not hold up a critical one. */
const MAX_OF_ALL = 10;

/**
 * @returns in a full burst, the investigation that a finding joins: one that is running, or that was about the same
 *   service; an ended one about another service does not cover it
 */
async function investigationToJoin(
  em: EntityManager,
  { agentId, teamId, service, severity }: Finding,
  now: Date,
): Promise<string | undefined> {
  const opened = await em.execute<{ id: string; runs: boolean; same: boolean }[]>(
    `select i.id, r.status = any(?) as runs, coalesce(bool_or(f.service = ?), false) as same
       from investigations i join runs r on r.id = i.id
       join monitoring_findings f on f.team_id = r.team_id and f.investigation_id = i.id
      where r.team_id = ? and r.kind = 'investigation' and r.created_at > ? and f.agent_id is not distinct from ?::uuid
      group by i.id, r.id order by r.created_at desc limit ?`,
    [`{${OPEN.join(',')}}`, service, teamId, new Date(now.getTime() - BURST_MS), agentId, MAX_OF_ALL],
  );
  if (opened.length < (severity === 'critical' ? MAX_OF_ALL : MAX_IN_A_BURST)) return undefined;
  const fits =
    opened.find(({ runs, same }) => runs && same) ?? opened.find(({ runs }) => runs) ?? opened.find(({ same }) => same);
  return fits?.id ?? (opened.length < MAX_OF_ALL ? undefined : opened[0]?.id);
}

/** The activity: {@link commitFindingInvestigation} in a transaction of its own. */
export async function openInvestigation(deps: FindingDeps, ref: FindingRef): Promise<OpenInvestigationResult> {
  const investigationId = await forTeam(deps.orm.em, ref.teamId).transactional(async (em) =>
    (await findPresent(em, ref.findingId)) ? commitFindingInvestigation(deps, em, ref.findingId) : undefined,
  );
  return { ...(investigationId !== undefined && { investigationId }) };
}

/** An investigation's status, and the arguments to start its workflow. */
export async function readInvestigation(deps: FindingDeps, ref: InvestigationRef): Promise<InvestigationProgress> {
  const found = await forTeam(deps.orm.em, ref.teamId).findOne(
    Investigation,
    { id: ref.investigationId },
    { fields: ['id', 'teamId', 'query', 'status'] },
  );
  if (!found) return { status: 'gone' };
  const { id, teamId, query, status } = found;
  if (!isOpen(status)) return { status };
  const start = describeInvestigation({ id, teamId, query }, deps.investigationBudget, deps.appUrl);
  return { status: 'processing', start };
}
