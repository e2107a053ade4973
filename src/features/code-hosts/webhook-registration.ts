/** Has hosts report what happens in repositories. */
import pMap from 'p-map';
import { CodeHostError, type CodeHost } from '@casebook/connectors';
import type { EntityManager } from '../../db/orm.ts';
import { messageOf } from '../../platform/message-of.ts';
import type { Logger } from '../../platform/logger.ts';
import type { Integration } from '../integrations/index.ts';
import { Repository } from './entities.ts';

const CONCURRENCY = 4;
/** At a time: the others follow with the next listing. */
const MAX_REGISTERED = 200;
const REMOVE_MS = 15_000;

export interface WebhookTarget {
  url: string;
  secret: string;
  /** Why no host can reach the URL, in words; undefined if one may. */
  problem: string | undefined;
}

interface Registration {
  em: EntityManager;
  log: Logger;
  host: CodeHost;
  row: Integration;
  /** Also those that are there as far as is known. */
  again: boolean;
  signal: AbortSignal;
}

/** @returns why not all are registered, in words; null if they are */
export async function registerWebhooks(
  { url, secret, problem }: WebhookTarget,
  { em, log, host, row, again, signal }: Registration,
): Promise<string | null> {
  if (problem !== undefined) return problem;
  const where = { integrationId: row.id, isArchived: false, ...(!again && { webhookId: null }) };
  const wanted = await em.find(Repository, where, { orderBy: { fullName: 'asc' }, limit: MAX_REGISTERED + 1 });
  let first: string | null = null;
  let isOver = false;
  await pMap(
    wanted.slice(0, MAX_REGISTERED),
    async ({ id, fullName }) => {
      if (isOver || signal.aborted) return;
      try {
        const { id: webhookId } = await host.registerWebhook(fullName, { url, secret }, { signal });
        await em.fork().nativeUpdate(Repository, { id, integrationId: row.id }, { webhookId });
      } catch (error) {
        if (!(error instanceof CodeHostError) && !signal.aborted) throw error;
        first ??= messageOf(error);
        // The next would fail alike; the next listing goes on.
        isOver = error instanceof CodeHostError && /^(?:limited|unavailable|unauthorized)$/u.test(error.reason);
        log.warn({ reason: messageOf(error), fullName }, 'a webhook was not registered');
      }
    },
    { concurrency: CONCURRENCY },
  );
  if (first === null && wanted.length > MAX_REGISTERED) return 'More webhooks are registered with the next listing.';
  return first;
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
    await pMap(hooks, ({ fullName, webhookId }) => host.removeWebhook(fullName, webhookId!, { signal }), {
      concurrency: CONCURRENCY,
    });
  } catch (error) {
    if (!(error instanceof CodeHostError) && !signal.aborted) throw error;
    log.warn({ reason: messageOf(error) }, 'webhooks were not removed at the host');
  }
}
