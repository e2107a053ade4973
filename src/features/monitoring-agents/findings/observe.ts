/**
 * Turns the reports of checks, of the agent's own health and of external alerts into findings. Always in the caller's
 * transaction.
 */
import type { EntityManager } from '../../../db/orm.ts';
import { storableJson, storableText } from '../../../platform/storable.ts';
import { type CheckResult, MAX_OBSERVATIONS, type Observation } from '../checks/port.ts';
import type { AgentHealth, FindingAction } from '../contract.ts';
import { Finding } from '../entities.ts';
import type { Check } from '../plan/schema.ts';
import type { OutsideAlert } from '../triggers/port.ts';
import { applyHeld, applyReport, type EarlierFindings, type FindingSubject, store } from './apply.ts';
import { type FindingPolicy, type FindingReport, forget, isAnyFailing, isChanged, reduce } from './reduce.ts';
import {
  alertKey,
  type CurrentFindings,
  currentFindings,
  dedupKey,
  HEALTH_KEY,
  lockFindings,
  sourceKey,
  sourcePrefix,
  stateOf,
} from './rows.ts';

/** Maximum characters kept of an observation's text. */
const MAX_TEXT = 500;
/** Health and alerts are reported at once, and one that comes back within a quarter of an hour is the same finding. */
const AT_ONCE: FindingPolicy = { confirmations: 1, recoveries: 1, coolDownSeconds: 900 };

interface ObservedSession {
  agent: { id: string; teamId: string };
  check: Check;
  sessionId: string;
  result: CheckResult;
  at: Date;
}

/**
 * Applies the observations of a check's session. A failed session changes nothing; a successful one without findings to
 * open or close costs one small query.
 * @param em in a transaction, bound to the agent's team
 * @returns the findings of whose change people or workflows should hear after the commit
 */
export async function observeSession(em: EntityManager, session: ObservedSession): Promise<Finding[]> {
  const { agent, check, result } = session;
  if (result.status === 'failed') return [];
  const observations = result.observations.slice(0, MAX_OBSERVATIONS);
  const isQuiet = !observations.some(({ isFinding }) => isFinding);
  if (isQuiet && (await idsWithSources(em, agent.id, [check.id], 1)).length === 0) return [];

  await lockFindings(em, agent.id);
  const keys = new Set(observations.map((observation) => keyOf(session, observation)));
  const current = await currentFindings(em, agent.id, [...keys]);
  const evidence = storableJson(result.evidence);
  const changed = new Set<Finding>();
  for (const observation of observations) {
    const subject = { ...subjectOf(session, observation), evidence };
    const finding = await applyReport(em, current, subject, reportOf(session, observation));
    if (finding) changed.add(finding);
  }
  // New ones are read below.
  await em.flush();
  for (const finding of await endVanished(em, session, observations)) changed.add(finding);
  await em.flush();
  return [...changed];
}

/**
 * Applies an agent's health: a degraded agent is a finding of its own.
 * @param em in a transaction, bound to the agent's team
 * @returns as {@link observeSession}
 */
export async function observeHealth(
  em: EntityManager,
  observed: { agent: { id: string; teamId: string; title: string }; health: AgentHealth; reasons: string[]; at: Date },
): Promise<Finding[]> {
  const { agent, health, reasons, at } = observed;
  if (health === 'starting') return [];
  const isFinding = health === 'degraded';
  const isCurrent = { $or: [{ status: { $ne: 'closed' as const } }, { isHeld: true }] };
  const ofHealth = { agentId: agent.id, dedupKey: HEALTH_KEY, ...isCurrent };
  if (!isFinding && (await em.count(Finding, ofHealth)) === 0) return [];
  await lockFindings(em, agent.id);
  const finding = await applyReport(
    em,
    await currentFindings(em, agent.id, [HEALTH_KEY]),
    {
      teamId: agent.teamId,
      agentId: agent.id,
      dedupKey: HEALTH_KEY,
      origin: 'health',
      title: `${agent.title}: some checks can’t run`,
      severity: 'warning',
      service: null,
      actions: ['notify'],
      judge: false,
    },
    {
      source: HEALTH_KEY,
      isFinding,
      text: clipped(isFinding ? reasons.join(' ') : 'All checks are running again.'),
      at: at.getTime(),
      policy: AT_ONCE,
    },
  );
  await em.flush();
  return finding ? [finding] : [];
}

interface ObservedAlert {
  teamId: string;
  /** Null: it belongs to no agent, so nobody is notified; it is only investigated. */
  agentId: string | null;
  alert: OutsideAlert;
  at: Date;
  /** What to do; by default both. */
  actions?: FindingAction[];
  /** Whether a model judges it first. */
  judge?: boolean;
}

/** The existing rows when an alert arrives, read under the lock. */
export interface KnownFindings {
  /** Holds the alert's finding, if there is one, managed by the same `em`; kept up to date. */
  current: CurrentFindings;
  earlier?: EarlierFindings;
}

/**
 * Applies another tool's alert; the caller flushes.
 * @param em in a transaction that holds the lock of the findings' owner, bound to the team
 * @returns the finding, if people or its workflow should hear of the change
 */
export async function observeAlert(
  em: EntityManager,
  observed: ObservedAlert,
  { current, earlier }: KnownFindings,
): Promise<Finding | undefined> {
  const { teamId, agentId, alert, at, actions = ['notify', 'investigate'], judge = false } = observed;
  const key = alertKey(alert.fingerprint);
  const { source, labels, links, startsAt, title, severity, service } = alert;
  const subject: FindingSubject = {
    teamId,
    agentId,
    title,
    severity,
    actions,
    judge,
    dedupKey: key,
    origin: 'alert',
    service: service ?? null,
    details: storableJson({ source, labels, links, ...(startsAt !== undefined && { startsAt }) }),
  };
  const report: FindingReport = {
    source: key,
    isFinding: alert.status === 'firing',
    text: clipped(alert.summary || alert.title),
    at: at.getTime(),
    policy: AT_ONCE,
  };
  return applyReport(em, current, subject, report, earlier);
}

/**
 * Checks that no longer run, because they were removed or disabled, hold no finding open.
 * @param em in a transaction, bound to the agent's team
 * @returns as {@link observeSession}
 */
export async function releaseSources(
  em: EntityManager,
  released: { agentId: string; checkIds: readonly string[]; at: Date },
): Promise<Finding[]> {
  const { agentId, checkIds, at } = released;
  if (checkIds.length === 0) return [];
  await lockFindings(em, agentId);
  const prefixes = checkIds.map(sourcePrefix);
  const isGone = (key: string): boolean => prefixes.some((prefix) => key.startsWith(prefix));
  const changed: Finding[] = [];
  for (const row of await withSources(em, agentId, checkIds)) {
    const before = stateOf(row);
    if (row.isHeld) {
      row.sources = Object.fromEntries(Object.entries(row.sources).filter(([key]) => !isGone(key)));
      row.isHeld = isAnyFailing(row.sources);
      continue;
    }
    const forgotten = forget(before, isGone, at.getTime());
    if (forgotten.change === 'none') continue;
    store(em, row, forgotten);
    if (!isChanged(before, forgotten.state)) continue;
    row.summary = 'Its check was removed or disabled.';
    changed.push(row);
  }
  await em.flush();
  return changed;
}

/** A subject that the check saw in earlier sessions but not in this one has ended: its series is gone. */
async function endVanished(em: EntityManager, session: ObservedSession, seen: Observation[]): Promise<Finding[]> {
  const { agent, check, result } = session;
  if (result.isPartial) return [];
  const prefix = sourcePrefix(check.id);
  const byKey = Map.groupBy(seen, (observation) => keyOf(session, observation));
  const changed: Finding[] = [];
  for (const row of await withSources(em, agent.id, [check.id])) {
    const reported = new Set(byKey.get(row.dedupKey)?.map(({ subject }) => sourceKey(check.id, subject)));
    const before = stateOf(row);
    let state = before;
    for (const source of Object.keys(row.sources)) {
      if (!source.startsWith(prefix) || reported.has(source)) continue;
      const gone = { ...shared(session), source, isFinding: false, text: 'No longer seen.' };
      if (row.isHeld) {
        applyHeld(em, row, gone);
        continue;
      }
      const reduced = reduce(state, gone);
      if (reduced.change !== 'none') store(em, row, reduced);
      if (!reduced.state) break;
      state = reduced.state;
    }
    if (isChanged(before, state)) changed.push(row);
  }
  return changed;
}

const keyOf = ({ check }: ObservedSession, { subject }: Observation): string =>
  dedupKey(check.dedup_key, check.id, subject);

function subjectOf(session: ObservedSession, observation: Observation): FindingSubject {
  const { agent, check } = session;
  const { service } = observation;
  const title = service !== undefined && !check.title.includes(service) ? `${check.title}: ${service}` : check.title;
  return {
    teamId: agent.teamId,
    agentId: agent.id,
    dedupKey: keyOf(session, observation),
    origin: 'check',
    title: clipped(title),
    severity: check.severity,
    service: service === undefined ? null : storableText(service),
    actions: check.on_finding,
    judge: check.judge,
  };
}

const reportOf = (session: ObservedSession, { subject, isFinding, text }: Observation): FindingReport => ({
  ...shared(session),
  source: sourceKey(session.check.id, subject),
  isFinding,
  text: clipped(text),
});

const shared = ({ check, sessionId, at }: ObservedSession): Pick<FindingReport, 'sessionId' | 'at' | 'policy'> => ({
  sessionId,
  at: at.getTime(),
  policy: {
    confirmations: check.confirmations,
    recoveries: check.recoveries,
    coolDownSeconds: check.cool_down_seconds,
  },
});

const clipped = (text: string): string => storableText(text.slice(0, MAX_TEXT));

async function withSources(em: EntityManager, agentId: string, checkIds: readonly string[]) {
  const ids = await idsWithSources(em, agentId, checkIds);
  return ids.length === 0
    ? []
    : em.find(Finding, { id: { $in: ids } }, { orderBy: { createdAt: 'asc', dedupKey: 'asc' } });
}

/** An agent's findings that are not closed, or hold sources, and have one of the checks as a source. */
async function idsWithSources(
  em: EntityManager,
  agentId: string,
  checkIds: readonly string[],
  limit?: number,
): Promise<string[]> {
  // Each half has its own index.
  const rows = await em.execute<{ id: string }[]>(
    `select id from (
       select id, sources, created_at from monitoring_findings where agent_id = ? and status <> 'closed'
       union all
       select id, sources, created_at from monitoring_findings where agent_id = ? and is_held) finding
      where exists (
       select 1 from jsonb_object_keys(sources) as source (key) where split_part(source.key, '/', 1) in (${checkIds.map(() => '?').join(', ')})
     ) order by created_at ${limit === undefined ? '' : `limit ${limit}`}`,
    [agentId, agentId, ...checkIds],
  );
  return rows.map(({ id }) => id);
}
