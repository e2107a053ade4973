/** Follows which repositories a code host lists: new, renamed and removed ones. */
import { LockMode } from '@mikro-orm/core';
import { CodeHostError, type CodeHost, type HostRepository } from '@casebook/connectors';
import { forTeam } from '../../db/team-filter.ts';
import type { EntityManager, Orm } from '../../db/orm.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Logger } from '../../platform/logger.ts';
import { storableText } from '../../platform/storable.ts';
import { CODE_HOST_FAMILIES, Integration, type RemoveDependents } from '../integrations/index.ts';
import { Listing, Repository } from './entities.ts';
import { isRefName } from './mirrors/ref-names.ts';
import { registerWebhooks, removeWebhooks, type Again, type WebhookTarget } from './webhook-registration.ts';

/** Of one host; more are left out, and the team is told. */
const MAX_REPOSITORIES = 2_000;
/** Of those that are left out. */
const MAX_NAMED = 5;
const LIST_EVERY_MS = 15 * 60_000;
/** In a sweep: a host may take its time over many pages, and then as many webhooks. */
const LIST_MS = 5 * 60_000;
/** No request waits longer for a listing. */
const LIST_IN_REQUEST_MS = 60_000;
/** As many hosts at once in one worker's sweep. */
const MAX_CLAIMED = 10;

export interface ListingDeps {
  orm: Orm;
  clock: Clock;
  log: Logger;
  /** Opens a code host with a credential that is still good. @throws {CodeHostError} */
  open(row: Integration): Promise<CodeHost>;
  webhookOf(row: Integration): WebhookTarget;
}

export interface Listed {
  repositories: number;
  /** Those that report to Casebook. */
  webhooks: number;
  error: string | null;
  webhookError: string | null;
}

/**
 * Lists a host's repositories again, stores what has changed, and registers the webhooks that are missing.
 * @param em bound to the team
 * @param options.again also registers webhooks that are not due
 * @throws {CodeHostError} when the host does not list them; then nothing has changed
 */
export async function listRepositories(
  deps: ListingDeps,
  em: EntityManager,
  row: Integration,
  { signal, again }: { signal: AbortSignal; again?: Again },
): Promise<Listed> {
  const { clock, log } = deps;
  await expect(em, row, clock.now());
  const host = await deps.open(row);
  const { found, isWhole } = await allOf(host, signal);
  const usable = found.filter(isUsable);
  const isThere = await em.transactional((tx) => store(tx, row, usable, isWhole, clock.now()));
  if (!isThere) return { repositories: 0, webhooks: 0, error: null, webhookError: null };
  const webhookError = await registerWebhooks(deps.webhookOf(row), { em, clock, log, host, row, again, signal });
  const error = leftOut(
    found.filter((one) => !isUsable(one)),
    isWhole,
  );
  const now = clock.now();
  await em.nativeUpdate(Listing, { integrationId: row.id }, { error, webhookError, listedAt: now, dueAt: next(now) });
  const ofHost = { integrationId: row.id };
  const webhooks = await em.count(Repository, { ...ofHost, webhookId: { $ne: null } });
  return { repositories: usable.length, webhooks, error, webhookError };
}

/** The row that says when it is listed: soon, should this attempt fail or this process end now. */
const expect = (em: EntityManager, { id: integrationId, teamId }: Integration, now: Date) =>
  em.upsert(
    Listing,
    { teamId, integrationId, listedAt: null, dueAt: soon(now), error: null, webhookError: null },
    { onConflictFields: ['integrationId'], onConflictAction: 'ignore' },
  );

/** When nobody can be listing it any more for whoever connected it. */
const soon = (now: Date): Date => new Date(now.getTime() + LIST_IN_REQUEST_MS);

const next = (now: Date): Date => new Date(now.getTime() + LIST_EVERY_MS * (0.8 + 0.4 * Math.random()));

async function allOf(host: CodeHost, signal: AbortSignal): Promise<{ found: HostRepository[]; isWhole: boolean }> {
  const found: HostRepository[] = [];
  for await (const repository of host.repositories({ signal })) {
    if (found.length === MAX_REPOSITORIES) return { found, isWhole: false };
    found.push(repository);
  }
  return { found, isWhole: true };
}

/** Names become paths, and branches parts of refs. */
const isUsable = ({ fullName, defaultBranch }: HostRepository): boolean =>
  fullName.length <= 300 &&
  /^[\w.-]+(?:\/[\w.-]+)+$/u.test(fullName) &&
  !fullName.split('/').some((name) => /^\.+$|^-|\.git$/iu.test(name)) &&
  isRefName(defaultBranch);

/** @returns why repositories are left out, in words; null if none are */
function leftOut(unusable: readonly HostRepository[], isWhole: boolean): string | null {
  const names = unusable
    .slice(0, MAX_NAMED)
    .map(({ fullName }) => JSON.stringify(storableText(fullName).slice(0, 100)));
  const more = unusable.length > names.length ? ` and ${unusable.length - names.length} more` : '';
  const why = [
    ...(isWhole ? [] : [`It lists more than ${MAX_REPOSITORIES} repositories; the others are left out.`]),
    ...(names.length > 0
      ? [`Left out, because their name or default branch is not accepted: ${names.join(', ')}${more}.`]
      : []),
  ];
  return why.join(' ') || null;
}

/** @returns whether the integration is still there */
async function store(
  tx: EntityManager,
  { id: integrationId, teamId }: Integration,
  listed: readonly HostRepository[],
  isWhole: boolean,
  now: Date,
): Promise<boolean> {
  const lock = { lockMode: LockMode.PESSIMISTIC_WRITE };
  if (!(await tx.findOne(Listing, { integrationId }, lock))) return false;
  const known = new Map((await tx.find(Repository, { integrationId })).map((one) => [one.hostId, one]));
  for (const { id: hostId, ...told } of listed) {
    const one = known.get(hostId);
    known.delete(hostId);
    if (!one) {
      const unknown = { webhookId: null, head: null, syncedAt: null, error: null, sizeBytes: null };
      tx.create(Repository, {
        teamId,
        integrationId,
        hostId,
        ...told,
        ...unknown,
        wantedAt: now,
        dueAt: now,
        webhookDueAt: now,
      });
      continue;
    }
    const isOther =
      one.fullName !== told.fullName || one.defaultBranch !== told.defaultBranch || one.cloneUrl !== told.cloneUrl;
    tx.assign(one, { ...told, ...(isOther && { wantedAt: now }) });
  }
  // Not those that an incomplete list leaves out.
  if (isWhole) for (const one of known.values()) tx.assign(one, { integrationId: null, webhookId: null, dueAt: now });
  return true;
}

/** Leaves the repositories of an integration that is removed to be collected, and then removes their webhooks. */
export const removeRepositories =
  (deps: ListingDeps): RemoveDependents =>
  async (tx, row) => {
    const ofHost = { integrationId: row.id };
    const hooks = await tx.find(
      Repository,
      { ...ofHost, webhookId: { $ne: null } },
      { fields: ['fullName', 'webhookId'] },
    );
    await tx.nativeDelete(Listing, ofHost);
    const gone = { integrationId: null, webhookId: null, dueAt: deps.clock.now() };
    await tx.nativeUpdate(Repository, ofHost, gone);
    return async () => {
      if (hooks.length > 0) await removeWebhooks(hooks, () => deps.open(row), deps.log);
    };
  };

/**
 * Lists what is due. A sweep of every worker: rows are claimed, so each host is listed by one.
 * @param stopping of the worker: what it has not listed by then is due at once
 */
export async function listDue(deps: ListingDeps, stopping: AbortSignal): Promise<void> {
  const { orm, clock, log } = deps;
  const now = clock.now();
  const em = orm.em.fork();
  const families = CODE_HOST_FAMILIES.map((family) => `'${family}'`).join(', ');
  // Of those whose process ended before it listed them.
  await em.execute(
    `insert into code_host_listings (id, created_at, updated_at, team_id, integration_id, due_at)
     select gen_random_uuid(), ?, ?, team_id, id, ? from integrations i
      where family in (${families}) and status <> 'pending'
        and not exists (select 1 from code_host_listings l where l.integration_id = i.id)
     on conflict do nothing`,
    [now, now, now],
  );
  const claimed: { integration_id: string; team_id: string }[] = await em.execute(
    `update code_host_listings set due_at = ? where id in (
       select l.id from code_host_listings l join integrations i on i.id = l.integration_id
        where l.due_at <= ? and i.enabled and i.status in ('connected', 'failing')
        order by l.due_at limit ? for update of l skip locked)
     returning integration_id, team_id`,
    [next(now), now, MAX_CLAIMED],
  );
  await Promise.all(
    claimed.map(async ({ integration_id: id, team_id: teamId }) => {
      const ofTeam = forTeam(orm.em, teamId);
      const row = await ofTeam.findOne(Integration, { id });
      if (!row) return;
      const signal = AbortSignal.any([stopping, AbortSignal.timeout(LIST_MS)]);
      try {
        await listRepositories(deps, ofTeam, row, { signal });
      } catch (error) {
        if (stopping.aborted) {
          await ofTeam.nativeUpdate(Listing, { integrationId: id }, { dueAt: clock.now() });
          return;
        }
        if (!(error instanceof CodeHostError || (error instanceof Error && error.name === 'TimeoutError'))) throw error;
        log.warn({ reason: error.message, integrationId: id }, 'the repositories of a code host were not listed');
        await ofTeam.nativeUpdate(Listing, { integrationId: id }, { error: error.message });
      }
    }),
  );
}
