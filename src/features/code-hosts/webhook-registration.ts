/** Has hosts report what happens in repositories. */
import pMap from 'p-map';
import { CodeHostError, type CodeHost } from '@casebook/connectors';
import type { EntityManager } from '../../db/orm.ts';
import type { Clock } from '../../platform/clock.ts';
import { messageOf } from '../../platform/message-of.ts';
import type { Logger } from '../../platform/logger.ts';
import type { Integration } from '../integrations/index.ts';
import { Listing, Repository } from './entities.ts';

const CONCURRENCY = 4;
/** At a time: the others follow with the next listing. */
const MAX_REGISTERED = 500;
const REMOVE_MS = 15_000;
/** How long a process that is killed keeps others from registering a webhook. */
const CLAIM_MS = 2 * 60_000;
/** A credential often sees more repositories than it may register webhooks in: these must not use up the host's limit. */
const REFUSED_MS = 6 * 3_600_000;

/** What is registered although it is not due: what the host refused lately, or also what is there as far as is known. */
export type Again = 'refused' | 'all' | undefined;

export interface WebhookTarget {
  url: string;
  secret: string;
  /** Why no host can reach the URL, in words; undefined if one may. */
  problem: string | undefined;
}

interface Registration {
  em: EntityManager;
  clock: Clock;
  log: Logger;
  host: CodeHost;
  row: Integration;
  again: Again;
  signal: AbortSignal;
}

/** Rather than one repository: the next request would fail alike. */
const concernsHost = ({ reason }: CodeHostError): boolean => /^(?:limited|unavailable|unauthorized)$/u.test(reason);

/** @returns why not all are registered, in words; null if they are */
export async function registerWebhooks(
  { url, secret, problem }: WebhookTarget,
  { em, clock, log, host, row, again, signal }: Registration,
): Promise<string | null> {
  if (problem !== undefined) return problem;
  const wanted = await claimed(em, row, again, clock.now());
  let first: string | null = null;
  let isOver = false;
  await pMap(
    wanted,
    async ({ id, fullName }) => {
      let made: { webhookId?: string } = {};
      let pauseMs = 0;
      try {
        if (isOver || signal.aborted) return;
        const { id: webhookId } = await host.registerWebhook(fullName, { url, secret }, { signal });
        made = { webhookId };
      } catch (error) {
        if (signal.aborted) return;
        if (!(error instanceof CodeHostError)) throw error;
        first ??= messageOf(error);
        if (concernsHost(error)) isOver = true;
        else pauseMs = REFUSED_MS;
        log.warn({ reason: messageOf(error), fullName }, 'a webhook was not registered');
      } finally {
        const webhookDueAt = new Date(clock.now().getTime() + pauseMs);
        await em.nativeUpdate(Repository, { id, integrationId: row.id }, { ...made, webhookDueAt });
      }
    },
    { concurrency: CONCURRENCY },
  );
  if (first !== null) return first;
  const missing = await em.count(Repository, { integrationId: row.id, isArchived: false, webhookId: null });
  if (missing === 0) return null;
  // Of those that were refused earlier, and are not due.
  const listing = await em.fork().findOne(Listing, { integrationId: row.id });
  return listing?.webhookError ?? 'Some webhooks are still to be registered.';
}

/** Those that this process registers now, and no other. */
function claimed(em: EntityManager, { id, teamId }: Integration, again: Again, now: Date) {
  const claimedUntil = new Date(now.getTime() + CLAIM_MS);
  return em.execute<{ id: string; fullName: string }[]>(
    `update repositories set webhook_due_at = ? where id in (
       select id from repositories
        where team_id = ? and integration_id = ? and not is_archived
          and (webhook_due_at <= ? or ? and webhook_due_at > ?)
          and (webhook_id is null or ?)
        order by full_name limit ? for update skip locked)
     returning id, full_name as "fullName"`,
    [claimedUntil, teamId, id, now, again !== undefined, claimedUntil, again === 'all', MAX_REGISTERED],
  );
}

/** As far as the host lets us; never throws because of it. */
export async function removeWebhooks(
  hooks: readonly Pick<Repository, 'fullName' | 'webhookId'>[],
  open: () => Promise<CodeHost>,
  log: Logger,
): Promise<void> {
  const signal = AbortSignal.timeout(REMOVE_MS);
  try {
    const host = await open();
    await pMap(
      hooks,
      async ({ fullName, webhookId }) => {
        try {
          await host.removeWebhook(fullName, webhookId!, { signal });
        } catch (error) {
          if (!(error instanceof CodeHostError) || concernsHost(error)) throw error;
          log.warn({ reason: messageOf(error), fullName }, 'a webhook was not removed');
        }
      },
      { concurrency: CONCURRENCY },
    );
  } catch (error) {
    if (!(error instanceof CodeHostError) && !signal.aborted) throw error;
    log.warn({ reason: messageOf(error) }, 'webhooks were not removed at the host');
  }
}
