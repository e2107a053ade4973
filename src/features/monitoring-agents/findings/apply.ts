import { randomUUID } from 'node:crypto';
import { LockMode } from '@mikro-orm/core';
import { creatorOf } from '../../../db/base.ts';
import type { EntityManager } from '../../../db/orm.ts';
import { forTeam } from '../../../db/team-filter.ts';
import type { CheckEvidence } from '../checks/port.ts';
import { Finding, FindingAct } from '../entities.ts';
import { type FindingAction, SEVERITIES, type Severity } from '../plan/schema.ts';
import type { SettleFindingInput } from './contract.ts';
import type { FindingDeps } from './deps.ts';
import { type FindingReport, isChanged, reduce, reduceHeld, type Reduced, settle } from './reduce.ts';
import { columnsOf, type CurrentFindings, type Earlier, earlierOf, heldKey, lockFindings, stateOf } from './rows.ts';

/** What a report says about the finding itself, besides its status. */
export interface FindingSubject {
  teamId: string;
  /** Null: an external alert that belongs to no agent. */
  agentId: string | null;
  dedupKey: string;
  origin: Finding['origin'];
  title: string;
  severity: Severity;
  service: string | null;
  actions: FindingAction[];
  judge: boolean;
  evidence?: CheckEvidence[];
  details?: Record<string, unknown>;
}

/** What new findings take over, by key, as `earlierOf` read it. */
export type EarlierFindings = ReadonlyMap<string, Earlier>;

/**
 * Applies one report to the finding of its key.
 * @param em in a transaction that holds the lock of the finding's owner
 * @param current holds the key's finding, if there is one; kept up to date
 * @param earlier of keys without a current finding, read in advance; missing keys are read on demand
 * @returns the finding, if people or its workflow should hear of the change
 */
export async function applyReport(
  em: EntityManager,
  current: CurrentFindings,
  subject: FindingSubject,
  report: FindingReport,
  earlier?: EarlierFindings,
): Promise<Finding | undefined> {
  const held = current.get(heldKey(subject.dedupKey));
  if (held && applyHeld(em, held, report)) return undefined;
  const row = current.get(subject.dedupKey);
  if (!row) return begin(em, current, subject, report, earlier);
  const before = stateOf(row);
  const reduced = reduce(before, report);
  if (reduced.change === 'none') return undefined;
  if (report.isFinding && reduced.change !== 'closed') em.assign(row, seenOf(row, subject, report));
  store(em, row, reduced);
  if (!reduced.state || reduced.change === 'closed') {
    current.delete(subject.dedupKey);
    // One row per open key: the old one must be deleted before the new one is inserted.
    await em.flush();
  }
  if (reduced.change === 'closed') return begin(em, current, subject, report);
  return isChanged(before, reduced.state) ? row : undefined;
}

/** Updates a row to the reducer's state. */
export function store(em: EntityManager, row: Finding, { state }: Reduced): void {
  if (state) em.assign(row, columnsOf(state), { mergeObjectProperties: false });
  else em.remove(row);
}

async function begin(
  em: EntityManager,
  current: CurrentFindings,
  subject: FindingSubject,
  report: FindingReport,
  earlier?: EarlierFindings,
): Promise<Finding | undefined> {
  if (!report.isFinding) return undefined;
  const { teamId, agentId, dedupKey, evidence = [], details = {}, ...rest } = subject;
  const known = earlier?.has(dedupKey) ? earlier : await earlierOf(em, agentId, [dedupKey], report.at);
  const { opens = [], mutedUntil = null } = known.get(dedupKey) ?? {};
  const { state } = reduce(undefined, report, opens);
  if (!state) return undefined;
  const ids = { id: randomUUID(), teamId, agentId, dedupKey };
  const none = { judgement: null, investigationId: null, signalledRevision: 0 };
  const row = em.create(Finding, {
    ...ids,
    ...rest,
    ...none,
    ...columnsOf(state),
    summary: report.text,
    evidence,
    details,
  });
  if (mutedUntil && mutedUntil.getTime() > report.at) {
    row.mutedUntil = mutedUntil;
    recordByTime(em, row, { kind: 'muted', text: 'It was muted when it was closed.', until: mutedUntil });
  }
  current.set(dedupKey, row);
  return state.revision > 0 ? row : undefined;
}

/** The newest wording; of several reporters the highest severity, and all their actions. */
function seenOf(row: Finding, subject: FindingSubject, report: FindingReport): Partial<Finding> {
  return {
    summary: report.text,
    severity: SEVERITIES.findLast((one) => one === row.severity || one === subject.severity)!,
    actions: [...new Set([...row.actions, ...subject.actions])],
    ...(row.service === null && { service: subject.service }),
  };
}

/**
 * Applies a report about a source that failed when a person closed its finding.
 * @returns whether it was about one
 */
export function applyHeld(em: EntityManager, row: Finding, report: FindingReport): boolean {
  const held = reduceHeld(stateOf(row), report);
  if (held) em.assign(row, held, { mergeObjectProperties: false });
  return held !== undefined;
}

/** Records what happened to a finding without anybody acting; people are not notified of it. */
function recordByTime(em: EntityManager, row: Finding, act: Pick<FindingAct, 'kind' | 'text' | 'until'>): void {
  em.create(FindingAct, {
    ...act,
    ...creatorOf(),
    teamId: row.teamId,
    findingId: row.id,
    via: 'time',
    actorName: 'Casebook',
    assigneeUserId: null,
    assigneeName: null,
    isNotified: false,
  });
}

/**
 * Applies what time alone does to a finding: ends a mute, closes it after its cool-down, or calms a flapping one.
 */
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
    const isUnmuted = finding.mutedUntil !== null && finding.mutedUntil.getTime() <= at;
    if (isUnmuted) {
      finding.mutedUntil = null;
      recordByTime(em, finding, { kind: 'unmuted', text: null, until: null });
    }
    if (settled.change === 'none') return;
    store(em, finding, settled);
    // Its own workflow makes this change, so it needs no notification.
    finding.signalledRevision = finding.revision;
  });
}
