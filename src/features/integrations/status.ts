/** Changes of status: recorded with the notification about them in one transaction, so that each is told once. */
import type { EntityManager, Orm } from '../../db/orm.ts';
import { forTeam } from '../../db/team-filter.ts';
import type { Clock } from '../../platform/clock.ts';
import { messageOf } from '../../platform/message-of.ts';
import type { Logger } from '../../platform/logger.ts';
import type { SecretBox } from '../../platform/secrets.ts';
import { dueEffects, endEffect } from '../effects/index.ts';
import { User } from '../identity/index.ts';
import {
  deliverNotification,
  enterNotification,
  NOTIFICATION,
  sealChannel,
  type ChannelCapabilities,
  type Deliver,
  type NotificationMessage,
  type StoredChannel,
} from '../notifications/index.ts';
import { Integration, IntegrationAlerts, type IntegrationStatus } from './entities.ts';
import { families } from './families.ts';

export interface StatusDeps {
  orm: Orm;
  clock: Clock;
  log: Logger;
  secrets: SecretBox;
  channels: ChannelCapabilities;
  deliver: Deliver;
  appUrl: string;
}

/**
 * Where a team is told: the channel it chose or, where mail can be sent, the person who connected the system.
 * @param em bound to the team
 */
async function channelFor(
  { channels, secrets }: Pick<StatusDeps, 'channels' | 'secrets'>,
  em: EntityManager,
  row: Integration,
): Promise<StoredChannel | null> {
  const chosen = await em.findOne(IntegrationAlerts, {});
  if (chosen) return chosen.channel;
  if (!channels.mail || row.createdByUserId === null) return null;
  const user = await em.findOne(User, { id: row.createdByUserId });
  return user && sealChannel(secrets, row.teamId, { type: 'email', to: [user.email] });
}

const KEY_PREFIX = `${NOTIFICATION}:integration:`;

/** Whether runs can use it: what a team wants to know. */
const TOLD: ReadonlySet<IntegrationStatus> = new Set(['connected', 'failing', 'needs_reconnect']);

/**
 * Tells of a change of status, if it is one.
 * @param tx the transaction that changes it, which holds the row's lock
 * @param before the status until now
 */
export async function tellChange(
  deps: StatusDeps,
  tx: EntityManager,
  row: Integration,
  before: IntegrationStatus,
): Promise<void> {
  const { id, teamId, status, statusSince } = row;
  if (status === before || !TOLD.has(status) || !TOLD.has(before)) return;
  await enterNotification(tx, {
    teamId,
    key: `${KEY_PREFIX}${id}:${statusSince.toISOString()}`,
    ownerId: id,
    subjectId: id,
    message: messageFor(row, deps.appUrl),
    channel: await channelFor(deps, tx, row),
  });
}

function messageFor(
  { id, name, family, status, error, statusSince }: Integration,
  appUrl: string,
): NotificationMessage {
  const { vendor } = families[family];
  const isOver = status === 'connected';
  const title = isOver ? `${name} answers again` : `${name} does not answer`;
  const reconnect = status === 'needs_reconnect';
  return {
    event: 'integration.status_changed',
    sender: { id, title: name },
    severity: isOver ? 'info' : 'warning',
    isOver,
    title: reconnect ? `${name} has to be connected again` : title,
    text: isOver
      ? `The integration with ${vendor} works again. Runs use it from now on.`
      : `${error ?? 'The last check failed.'} Runs go on without it, and say so in their reports.`,
    links: [{ label: 'Integrations', url: `${appUrl}/integrations` }],
    at: statusSince.getTime(),
    data: { integration_id: id, status },
  };
}

/** Delivers what has been told and not arrived. A sweep: each attempt has its lease in the ledger, and the next one waits longer. */
export async function deliverStatusChanges(deps: StatusDeps): Promise<void> {
  const due = await dueEffects(deps.orm, { kind: NOTIFICATION, keyPrefix: KEY_PREFIX }, deps.clock.now());
  await Promise.all(
    due.map(async (effect) => {
      const em = forTeam(deps.orm.em, effect.teamId);
      const row = await em.findOne(Integration, { id: effect.ownerId! });
      const channel = row && (await channelFor(deps, em, row));
      if (!channel) {
        await endEffect(em, effect.id, { status: 'skipped' });
        return;
      }
      try {
        await deliverNotification(deps, effect, channel, { signal: AbortSignal.timeout(60_000) });
      } catch (error) {
        deps.log.warn({ reason: messageOf(error), integrationId: effect.ownerId }, 'a status change was not delivered');
      }
    }),
  );
}
