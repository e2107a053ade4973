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
import { families, fieldIn, RESERVED_NAMES, slugOf, type Settings } from './families.ts';
import { tellChange, type StatusDeps } from './status.ts';
import { enterRevocation, keepTokens } from './oauth/revocation.ts';
import type { Secrets, Vault } from './vault.ts';

/** How often an enabled integration is checked, in ms. */
export const CHECK_EVERY_MS = 5 * 60_000;

export interface IntegrationServiceDeps extends StatusDeps {
  vault: Vault;
  /** Tests a system, and lists the tools of one that announces its own. Never throws because of the system. */
  probe(target: Target, signal: AbortSignal): Promise<Probe>;
  /** Opens a row with a token that is still good. @throws {QueryError} when it cannot be renewed */
  fresh(row: Integration): Promise<Target>;
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
  /** Of an integration that is connected again: it may have been renamed. By default made from the name. */
  slug?: string;
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
 * What a successful test means for the family: settings that follow from what the credential gives access to, and
 * those that a new connection keeps.
 * @param earlier what the new connection replaces, as it is when that is stored
 * @throws {InvalidRequest} when it gives access to nothing that is needed
 */
export type Settle = (
  test: ConnectionTest,
  earlier: Integration | null,
) => { settings?: Settings; status?: IntegrationStatus };

/** Where a draft is tested: no row has its revision. */
export function draftOf(teamId: string, wanted: Wanted): Target {
  const { family, slug = slugFor(wanted), settings, secrets, via = null } = wanted;
  return { id: randomUUID(), teamId, family, slug, settings, secrets, via, revision: 0 };
}

/** How a row is reached. @throws {SecretError} */
export const targetOf = (vault: Vault, row: Integration): Target => ({
  ...row,
  via: row.via ?? null,
  secrets: vault.open(row),
});

/**
 * Connects a system: tests it and, if it answers, stores it. Repeating the request changes nothing. Where a team has one
 * integration of a family, a new credential replaces the old one. What is connected already keeps its name.
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
  if (earlier && isSame(deps.vault, earlier, draft))
    return earlier.enabled ? earlier : toggle(deps, em, principal, draft.family, earlier.id, true);
  if (earlier && !mayReplace(earlier, draft)) throw nameTaken(wanted.name);
  const probe = await deps.probe(draft, signal);
  const { test } = probe;
  if (test.status !== 'ok') throw failedTest(test, fieldIn(wanted.family));
  return em.transactional(async (tx) => {
    // Serializes a team's changes, so that a double submit finds the first one's row.
    await lockRowThenTeam(tx, principal, { slug: draft.slug });
    const row = await findNamed(tx, draft);
    if (row && isSame(deps.vault, row, draft)) return tx.assign(row, { enabled: true });
    if (row && !mayReplace(row, draft)) throw nameTaken(wanted.name);
    const settled = settle(test, row);
    const now = deps.clock.now();
    const tested = {
      ...outcomeOf(probe, row, now),
      ...(settled.status && {
        status: settled.status,
        statusSince: row?.status === settled.status ? row.statusSince : now,
      }),
      settings: { ...draft.settings, ...settled.settings },
      via: draft.via,
    };
    const { id, family, slug } = draft;
    const sealed = deps.vault.seal(row ?? draft, withOwn(draft, row ? readable(deps.vault, row)?.secrets : undefined));
    const made = { ...tested, sealed, pending: null, enabled: true, ...creatorOf(principal) };
    if (row) {
      const { status: before } = row;
      await forget(deps, tx, row);
      // Afterwards: a server may give the same refresh token again.
      await keepTokens(tx, draft.secrets);
      tx.assign(row, { ...made, revision: row.revision + 1 });
      await tellChange(deps, tx, row, before);
      return row;
    }
    await keepTokens(tx, draft.secrets);
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
const withOwn = ({ family, secrets }: Pick<Target, 'family' | 'secrets'>, earlier: Secrets = {}): Secrets =>
  families[family].hasWebhooks
    ? { ...secrets, webhook_secret: earlier['webhook_secret'] ?? randomBytes(32).toString('base64url') }
    : secrets;

/**
 * Another credential for the same thing: where a team has one of a family, or for the same server. A consent that is
 * being given takes no name: nobody sees it.
 */
export const mayReplace = ({ family, status, settings }: Integration, draft: Target): boolean =>
  status === 'pending' ||
  (family === draft.family &&
    (families[family].name !== undefined ||
      ((family === 'mcp' || families[family].hasWebhooks === true) && settings['url'] === draft.settings['url'])));

/**
 * The row of a name, locked: a token that is being renewed, or a check, ends before. One that only waits for consent
 * makes room.
 * @param tx a transaction that has locked the team
 */
export async function findNamed(tx: EntityManager, { slug }: Target): Promise<Integration | null> {
  const row = await tx.findOne(Integration, { slug }, LOCKED);
  if (row?.status !== 'pending') return row;
  await tx.nativeDelete(Integration, { id: row.id });
  return null;
}

export const LOCKED = { lockMode: LockMode.PESSIMISTIC_WRITE, refresh: true } as const;

/**
 * Begins a change. The row may be locked while its vendor is asked for a token: the team must not be locked while this
 * waits for it, because everything that belongs to the team would wait too.
 * @param where may match no row
 * @throws {Unauthorized} if the caller was revoked meanwhile
 */
export async function lockRowThenTeam(
  tx: EntityManager,
  principal: Principal,
  where: { id: string } | { slug: string },
): Promise<void> {
  await tx.findOne(Integration, where, LOCKED);
  await lockTeamFor(tx, principal);
}

function isSame(vault: Vault, row: Integration, draft: Target): boolean {
  const mine = [row.family, row.settings, row.via ?? null];
  const secrets = readable(vault, row)?.secrets;
  return (
    row.status === 'connected' &&
    isDeepStrictEqual(mine, [draft.family, { ...draft.settings }, draft.via]) &&
    isDeepStrictEqual({ ...secrets }, { ...withOwn(draft, secrets) })
  );
}

/** How a row is reached, as far as that can be told: undefined if its secrets cannot be opened. */
function readable(vault: Vault, row: Integration): Target | undefined {
  try {
    return targetOf(vault, row);
  } catch (error) {
    if (error instanceof SecretError) return undefined;
    throw error;
  }
}

/** A change of an integration. */
interface Changes {
  name?: string;
  /**
   * How it is to be reached: tested before it is stored.
   * @param current without secrets, if these cannot be opened: new ones then mend it
   */
  reach?(current: Target): Pick<Target, 'settings' | 'secrets' | 'via'>;
  /** What becomes of the settings. Stored without a test, also while the system is down. */
  settings?(current: Settings): Settings;
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
  const current = readable(deps.vault, before) ?? { ...before, via: before.via ?? null, secrets: {} };
  const draft = reach && { ...current, ...reach(current), revision: 0 };
  const probe = draft && (await deps.probe(draft, signal));
  if (probe && probe.test.status !== 'ok') throw failedTest(probe.test, fieldIn(family));
  return em.transactional(async (tx) => {
    await lockRowThenTeam(tx, principal, { id });
    const row = await find(tx, family, id, LOCKED);
    if (draft && row.revision !== before.revision) throw changedMeanwhile(row.name);
    const { status } = row;
    const reached = draft?.settings ?? row.settings;
    tx.assign(row, {
      ...(probe && outcomeOf(probe, row, deps.clock.now())),
      ...(draft && { sealed: deps.vault.seal(row, draft.secrets), via: draft.via }),
      // Source ids and tool names keep the first name: plans and chats refer to them.
      ...(name !== undefined && { name }),
      settings: { ...(settings ? settings(reached) : reached) },
      revision: row.revision + 1,
    });
    await tellChange(deps, tx, row, status);
    return row;
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

/**
 * A fifth earlier or later, so that integrations connected together are not checked together.
 * @param chance from 0 to 1
 */
export const nextCheck = (now: Date, chance = Math.random()): Date =>
  new Date(now.getTime() + CHECK_EVERY_MS * (0.8 + 0.4 * chance));

/** @throws {NotFound} also for another family's, another team's, and one that is still waiting for consent */
export async function find(
  em: EntityManager,
  family: FamilyName,
  id: string,
  options?: typeof LOCKED,
): Promise<Integration> {
  const row = await em.findOne(Integration, { id, family, status: { $ne: 'pending' } }, options);
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
    await lockRowThenTeam(tx, principal, { id });
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
  // Whoever gave up has learnt nothing about the system.
  signal.throwIfAborted();
  await em.transactional(async (tx) => {
    const now = await tx.findOne(Integration, { id: row.id }, LOCKED);
    const isOpen = now?.status === 'connected' || now?.status === 'failing';
    if (!now || !isOpen || now.revision !== revision) return;
    const before = now.status;
    const outcome = outcomeOf(probe, now, deps.clock.now());
    const isNew = !isDeepStrictEqual(outcome.tools, now.tools);
    tx.assign(now, { ...outcome, ...(isNew && { revision: now.revision + 1 }) });
    await tellChange(deps, tx, now, before);
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
export const findOnly = (
  em: EntityManager,
  family: FamilyName,
  slug: string,
  options?: typeof LOCKED,
): Promise<Integration | null> => em.findOne(Integration, { family, slug, status: { $ne: 'pending' } }, options);

/**
 * Changes the settings of such an integration without a new test.
 * @param decide what to change; gets null if there is none
 */
export async function change(
  deps: StatusDeps,
  em: EntityManager,
  principal: Principal,
  family: FamilyName,
  slug: string,
  decide: (row: Integration | null) => { settings: Settings; status?: IntegrationStatus },
): Promise<Integration> {
  return em.transactional(async (tx) => {
    await lockRowThenTeam(tx, principal, { slug });
    const row = await findOnly(tx, family, slug, LOCKED);
    const { settings, status = row?.status } = decide(row);
    if (!row || status === undefined) throw integrationNotFound();
    const { status: before } = row;
    tx.assign(row, {
      settings: { ...row.settings, ...settings },
      revision: row.revision + 1,
      ...(status !== before && { status, statusSince: deps.clock.now() }),
    });
    await tellChange(deps, tx, row, before);
    return row;
  });
}

/** Has the tokens of a row revoked that is removed, or gets others, in this transaction. */
async function forget(deps: IntegrationServiceDeps, tx: EntityManager, row: Integration, afterMs = 0): Promise<void> {
  const target = readable(deps.vault, row);
  if (target) await enterRevocation(deps, tx, target, afterMs);
}

/**
 * Removes what other rooms keep of an integration, in the transaction that removes it.
 * @returns what is then left to do with its credential; must not fail
 */
export type RemoveDependents = (tx: EntityManager, row: Integration) => Promise<() => Promise<void>>;

/** A removed credential may be used for so long to remove what was set up with it. */
const LAST_USE_MS = 60_000;

const noDependents: RemoveDependents = async () => async () => undefined;

/**
 * Removes it, and its secrets with it, and has them revoked at the vendor, where that is possible.
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
    await lockRowThenTeam(tx, principal, { slug });
    const row = await tx.findOne(Integration, { family, slug }, LOCKED);
    return row && removeRow(deps, tx, row, removeDependents);
  });
  if (!removed) return false;
  await removed.finish();
  return removed.row.status !== 'pending';
}

async function removeRow(
  deps: IntegrationServiceDeps,
  tx: EntityManager,
  row: Integration,
  removeDependents: RemoveDependents,
) {
  const finish = await removeDependents(tx, row);
  await forget(deps, tx, row, families[row.family].hasWebhooks ? LAST_USE_MS : 0);
  await tx.nativeDelete(Integration, { id: row.id });
  return { row, finish };
}

/** Removes an integration and its secrets, and has them revoked where that is possible. @throws {NotFound} */
export async function remove(
  deps: IntegrationServiceDeps,
  em: EntityManager,
  principal: Principal,
  family: FamilyName,
  id: string,
  removeDependents = noDependents,
): Promise<void> {
  const { finish } = await em.transactional(async (tx) => {
    await lockRowThenTeam(tx, principal, { id });
    return removeRow(deps, tx, await find(tx, family, id, LOCKED), removeDependents);
  });
  await finish();
}
