/** Connects, changes, tests and removes integrations. */
import { randomBytes, randomUUID } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { QueryError, type ConnectionTest } from '@casebook/connectors';
import type { EntityManager } from '../../db/orm.ts';
import { creatorOf } from '../../db/base.ts';
import { LockMode } from '@mikro-orm/core';
import type { Principal } from '../../http/authenticate.ts';
import { InvalidRequest } from '../../http/errors.ts';
import { SecretError } from '../../platform/secrets.ts';
import { lockTeamFor } from '../identity/index.ts';
import type { McpTool } from '@casebook/wire';
import type { Target } from './connections.ts';
import { Integration, type FamilyName, type IntegrationStatus } from './entities.ts';
import { changedMeanwhile, failedTest, integrationNotFound, nameTaken } from './errors.ts';
import { families, RESERVED_NAMES, slugOf, type Settings } from './families.ts';
import { notifyOfStatus, type StatusDeps } from './status.ts';
import type { Secrets, Vault } from './vault.ts';

/** How often an enabled integration is checked, in ms. */
export const CHECK_EVERY_MS = 5 * 60_000;

export interface IntegrationServiceDeps extends StatusDeps {
  vault: Vault;
  /** Tests a system, and lists the tools of one that announces its own. Never throws because of the system. */
  probe(target: Target, signal: AbortSignal): Promise<Probe>;
  /** Opens a row with a token that is still good. @throws {QueryError} when it cannot be renewed */
  fresh(row: Integration): Promise<Target>;
  /** Withdraws tokens at the vendor, as far as it can; never throws. */
  withdraw(row: Integration): Promise<void>;
}

/** What a test found out. */
export interface Probe {
  test: ConnectionTest;
  /** Null where a connector has the tools. */
  tools: McpTool[] | null;
}

/** A connection that somebody wants. */
export interface Wanted {
  family: FamilyName;
  name: string;
  settings: Settings;
  secrets: Secrets;
  via?: string | null;
}

/** @throws {InvalidRequest} for a name that cannot be one */
function slugFor({ family, name }: Pick<Wanted, 'family' | 'name'>): string {
  const slug = slugOf(name);
  if (slug === '') throw InvalidRequest.at(['body', 'name'], 'Value error, needs a letter or digit', name);
  if (families[family].name === undefined && RESERVED_NAMES.has(slug))
    throw InvalidRequest.at(['body', 'name'], 'Value error, this name is reserved', name);
  return slug;
}

/**
 * What a successful test means for the family: settings that follow from what the credential gives access to.
 * @param earlier what the new connection replaces
 * @throws {InvalidRequest} when it gives access to nothing that is needed
 */
export type Settle = (
  test: ConnectionTest,
  earlier: Integration | null,
) => { settings?: Settings; status?: IntegrationStatus };

/** Where a draft is tested: no row has its revision. */
export function draftOf(teamId: string, wanted: Wanted): Target {
  const slug = slugFor(wanted);
  const { family, settings, secrets, via = null } = wanted;
  return { id: randomUUID(), teamId, family, slug, settings, secrets, via, revision: 0 };
}

/** How a row is reached. @throws {SecretError} */
export const targetOf = (vault: Vault, row: Integration): Target => ({
  ...row,
  via: row.via ?? null,
  secrets: vault.open(row),
});

/** The interface's name of a connector's setting, if the request has it. */
const fieldIn =
  (family: FamilyName) =>
  (field: string): string | undefined =>
    field === 'access_token' ? undefined : (families[family].fields?.[field] ?? field);

/**
 * Connects a system: tests it and, if it answers, stores it. Repeating the request changes nothing. Where a team has one
 * integration of a family, a new credential replaces the old one.
 * @throws {InvalidRequest} naming the field that the system refuses
 * @throws {DependencyDown} `vendor_unreachable`
 * @throws {Conflict} `name_taken`
 */
export async function connect(
  deps: IntegrationServiceDeps,
  em: EntityManager,
  principal: Principal,
  wanted: Wanted,
  signal: AbortSignal,
  settle: Settle = () => ({}),
): Promise<Integration> {
  const { teamId } = principal;
  const draft = draftOf(teamId, wanted);
  const earlier = await em.fork().findOne(Integration, { slug: draft.slug });
  if (earlier && isSame(deps.vault, earlier, draft)) return earlier;
  if (earlier && !mayReplace(earlier, draft)) throw nameTaken(wanted.name);
  const probe = await deps.probe(draft, signal);
  const { test } = probe;
  if (test.status !== 'ok') throw failedTest(test, fieldIn(wanted.family));
  const settled = settle(test, earlier);
  return em.transactional(async (tx) => {
    // Serializes a team's changes, so that a double submit finds the first one's row.
    await lockTeamFor(tx, principal);
    const row = await tx.findOne(Integration, { slug: draft.slug });
    if (row && isSame(deps.vault, row, draft)) return row;
    if (row && !mayReplace(row, draft)) throw nameTaken(wanted.name);
    const now = deps.clock.now();
    const tested = {
      ...outcomeOf(probe, row, now),
      ...(settled.status && { status: settled.status }),
      settings: { ...draft.settings, ...settled.settings },
      via: draft.via,
    };
    const { id, family, slug } = draft;
    const sealed = deps.vault.seal(row ?? draft, withOwn(draft, row ? deps.vault.open(row) : {}));
    const made = { ...tested, sealed, pending: null, enabled: true, ...creatorOf(principal) };
    if (row) return tx.assign(row, { ...made, name: wanted.name, revision: row.revision + 1 });
    return tx.create(Integration, {
      ...made,
      id,
      teamId,
      family,
      name: wanted.name,
      slug,
      lastUsedAt: null,
    });
  });
}

/** With the secret that Casebook makes itself: a new credential does not change it, since webhooks are signed with it. */
const withOwn = ({ family, secrets }: Pick<Target, 'family' | 'secrets'>, earlier: Secrets): Secrets =>
  families[family].hasWebhooks
    ? { ...secrets, webhook_secret: earlier['webhook_secret'] ?? randomBytes(32).toString('base64url') }
    : secrets;

/** Another credential for the same thing: where a team has one of a family, an unfinished one, the same server. */
const mayReplace = ({ family, status, settings }: Integration, draft: Target): boolean =>
  family === draft.family &&
  (families[family].name !== undefined ||
    status === 'pending' ||
    ((family === 'mcp' || families[family].hasWebhooks === true) && settings['url'] === draft.settings['url']));

function isSame(vault: Vault, row: Integration, draft: Target): boolean {
  const mine = [row.family, row.settings, row.via ?? null];
  return (
    row.status === 'connected' &&
    isDeepStrictEqual(mine, [draft.family, { ...draft.settings }, draft.via]) &&
    isDeepStrictEqual({ ...vault.open(row) }, { ...withOwn(draft, vault.open(row)) })
  );
}

/** A change of an integration. */
interface Changes {
  name?: string;
  /** How it is to be reached: tested before it is stored. */
  reach?(current: Target): Pick<Target, 'settings' | 'secrets' | 'via'>;
  /** Stored without a test, also while the system is down. */
  settings?: Settings;
}

/**
 * Changes an integration.
 * @throws {NotFound}, and whatever {@link connect} throws
 * @throws {Conflict} `changed`
 */
export async function update(
  deps: IntegrationServiceDeps,
  em: EntityManager,
  principal: Principal,
  family: FamilyName,
  id: string,
  { name, reach, settings }: Changes,
  signal: AbortSignal,
): Promise<Integration> {
  const before = await find(em.fork(), family, id);
  const current = targetOf(deps.vault, before);
  const draft: Target = { ...current, ...reach?.(current), revision: 0 };
  const probe = reach && (await deps.probe(draft, signal));
  if (probe && probe.test.status !== 'ok') throw failedTest(probe.test, fieldIn(family));
  return em.transactional(async (tx) => {
    await lockTeamFor(tx, principal);
    const row = await find(tx, family, id);
    if (row.revision !== before.revision) throw changedMeanwhile(row.name);
    return tx.assign(row, {
      ...(probe && outcomeOf(probe, row, deps.clock.now())),
      // Source ids and tool names keep the first name: plans and chats refer to them.
      ...(name !== undefined && { name }),
      settings: { ...draft.settings, ...settings },
      sealed: deps.vault.seal(row, draft.secrets),
      via: draft.via,
      revision: row.revision + 1,
    });
  });
}

/** What a test says about a row: its new status, what was found, when it is checked next. */
export function outcomeOf(
  { test: { status: result, message, version, warnings, resources }, tools }: Probe,
  row: Pick<Integration, 'status' | 'statusSince' | 'found' | 'tools'> | null,
  now: Date,
) {
  const status = result === 'ok' ? ('connected' as const) : ('failing' as const);
  return {
    status,
    statusSince: row?.status === status ? row.statusSince : now,
    error: result === 'ok' ? null : message,
    found: result === 'ok' || !row ? { ...(version !== undefined && { version }), warnings, resources } : row.found,
    // What a server that is away had announced is not forgotten.
    tools: result === 'ok' || !row ? tools : row.tools,
    checkedAt: now,
    dueAt: nextCheck(now),
  };
}

/** A fifth earlier or later, so that integrations connected together are not checked together. */
export const nextCheck = (now: Date): Date => new Date(now.getTime() + CHECK_EVERY_MS * (0.8 + 0.4 * Math.random()));

/** @throws {NotFound} also for another family's, another team's, and one that is still waiting for consent */
export async function find(em: EntityManager, family: FamilyName, id: string): Promise<Integration> {
  const row = await em.findOne(Integration, { id, family, status: { $ne: 'pending' } });
  if (!row) throw integrationNotFound();
  return row;
}

/** Turns an integration off or on. @throws {NotFound} */
export async function toggle(
  { clock }: Pick<StatusDeps, 'clock'>,
  em: EntityManager,
  principal: Principal,
  family: FamilyName,
  id: string,
  enabled: boolean,
): Promise<Integration> {
  return em.transactional(async (tx) => {
    await lockTeamFor(tx, principal);
    const row = await find(tx, family, id);
    return tx.assign(row, { enabled, ...(enabled && !row.enabled && { dueAt: clock.now() }) });
  });
}

/** Tests an integration as it is stored, and records the outcome. @throws {NotFound} */
export async function testStored(
  deps: IntegrationServiceDeps,
  em: EntityManager,
  family: FamilyName,
  id: string,
  signal: AbortSignal,
): Promise<ConnectionTest> {
  return check(deps, em, await find(em.fork(), family, id), signal);
}

/**
 * Tests a row, and records the outcome unless the integration was changed or removed meanwhile. A change of status is
 * told once.
 * @param em bound to its team
 */
export async function check(
  deps: IntegrationServiceDeps,
  em: EntityManager,
  row: Integration,
  signal: AbortSignal,
): Promise<ConnectionTest> {
  const { probe, revision } = await tested(deps, row, signal);
  await em.transactional(async (tx) => {
    const now = await tx.findOne(Integration, { id: row.id }, { lockMode: LockMode.PESSIMISTIC_WRITE, refresh: true });
    const isOpen = now?.status === 'connected' || now?.status === 'failing';
    if (!now || !isOpen || now.revision !== revision) return;
    const before = now.status;
    const outcome = outcomeOf(probe, now, deps.clock.now());
    const isNew = !isDeepStrictEqual(outcome.tools, now.tools);
    tx.assign(now, { ...outcome, ...(isNew && { revision: now.revision + 1 }) });
    if (now.status !== before) await notifyOfStatus(deps, tx, now);
  });
  return probe.test;
}

/** `revision`: that of the connection that was tested, which a renewed token has changed. */
async function tested(
  deps: IntegrationServiceDeps,
  row: Integration,
  signal: AbortSignal,
): Promise<{ probe: Probe; revision: number }> {
  try {
    const target = await deps.fresh(row);
    return { probe: await deps.probe(target, signal), revision: target.revision };
  } catch (error) {
    if (!(error instanceof SecretError || error instanceof QueryError)) throw error;
    const test: ConnectionTest = {
      status: 'refused',
      message: error.message,
      latencyMs: 0,
      warnings: [],
      resources: [],
    };
    return { probe: { test, tools: row.tools ?? null }, revision: row.revision };
  }
}

/**
 * The integration of a family of which a team has one.
 * @param em bound to the team
 */
export const findOnly = (em: EntityManager, family: FamilyName, slug: string): Promise<Integration | null> =>
  em.findOne(Integration, { family, slug, status: { $ne: 'pending' } });

/**
 * Changes the settings of such an integration without a new test.
 * @param decide what to change; gets null if there is none
 */
export async function change(
  { clock }: Pick<StatusDeps, 'clock'>,
  em: EntityManager,
  principal: Principal,
  family: FamilyName,
  slug: string,
  decide: (row: Integration | null) => { settings: Settings; status?: IntegrationStatus },
): Promise<Integration> {
  return em.transactional(async (tx) => {
    await lockTeamFor(tx, principal);
    const row = await findOnly(tx, family, slug);
    const { settings, status = row?.status } = decide(row);
    if (!row || status === undefined) throw integrationNotFound();
    const isNew = status !== row.status;
    return tx.assign(row, {
      settings: { ...row.settings, ...settings },
      revision: row.revision + 1,
      ...(isNew && { status, statusSince: clock.now() }),
    });
  });
}

/**
 * Removes what other rooms keep of an integration, in the transaction that removes it.
 * @returns what is then left to do with its credential, before that is withdrawn; must not fail
 */
export type RemoveDependents = (tx: EntityManager, row: Integration) => Promise<() => Promise<void>>;

const noDependents: RemoveDependents = async () => async () => undefined;

/**
 * Removes it, and its secrets with it; then withdraws them at the vendor, where that is possible.
 * @returns whether there was one
 */
export async function removeOnly(
  deps: IntegrationServiceDeps,
  em: EntityManager,
  principal: Principal,
  family: FamilyName,
  slug: string,
  removeDependents = noDependents,
): Promise<boolean> {
  const removed = await em.transactional(async (tx) => {
    await lockTeamFor(tx, principal);
    const row = await tx.findOne(Integration, { family, slug });
    return row && removeRow(tx, row, removeDependents);
  });
  if (!removed) return false;
  await removed.finish();
  await deps.withdraw(removed.row);
  return removed.row.status !== 'pending';
}

async function removeRow(tx: EntityManager, row: Integration, removeDependents: RemoveDependents) {
  const finish = await removeDependents(tx, row);
  await tx.nativeDelete(Integration, { id: row.id });
  return { row, finish };
}

/** Removes an integration and its secrets, and withdraws them where that is possible. @throws {NotFound} */
export async function remove(
  deps: IntegrationServiceDeps,
  em: EntityManager,
  principal: Principal,
  family: FamilyName,
  id: string,
  removeDependents = noDependents,
): Promise<void> {
  const { row, finish } = await em.transactional(async (tx) => {
    await lockTeamFor(tx, principal);
    return removeRow(tx, await find(tx, family, id), removeDependents);
  });
  await finish();
  await deps.withdraw(row);
}
