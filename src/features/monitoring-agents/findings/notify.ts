/** The outbox: a notification is a row before it is sent, and the row says how sending it goes. */
import { LockMode, UniqueConstraintViolationException } from '@mikro-orm/core';
import type { EntityManager } from '../../../db/orm.ts';
import { forTeam } from '../../../db/team-filter.ts';
import { storableJson, storableText } from '../../../platform/storable.ts';
import { Investigation } from '../../investigations/index.ts';
import { untilReachable, type Attempt } from '../../runs/index.ts';
import { Finding, MonitoringAgent, MonitoringNotification, type StoredChannel } from '../entities.ts';
import { DeliveryError, type Delivered, type ThreadRef } from '../notifications/port.ts';
import type { NotifyInput, NotifyResult } from './contract.ts';
import type { FindingDeps } from './deps.ts';
import { notificationKey } from './due.ts';
import { composeMessage } from './messages.ts';
import { messageOf } from '../../../platform/message-of.ts';

/** A channel that is away for a day: whoever reads it has noticed otherwise. */
const GIVE_UP_AFTER_MS = 24 * 3_600_000;

/**
 * Tells people one thing, once: what was delivered is not delivered again. Each attempt takes the channel that the agent has
 * by then, so that one that is put right is used.
 * @throws {DeliveryError} when the channel did not take it; not retryable when it is given up, which the row then says
 */
export async function notify(
  deps: FindingDeps,
  input: NotifyInput,
  attempt: Pick<Attempt, 'signal'>,
): Promise<NotifyResult> {
  const reach = <T>(operation: (em: EntityManager) => Promise<T>): Promise<T> =>
    untilReachable(() => operation(forTeam(deps.orm.em, input.teamId)), attempt.signal);
  const finding = await reach((em) => em.findOne(Finding, { id: input.findingId }));
  const agentId = finding?.agentId ?? null;
  const agent = agentId === null ? null : await reach((em) => em.findOne(MonitoringAgent, { id: agentId }));
  if (!finding || !agent) return { status: 'gone' };

  const row = await reach((em) => enter(deps, em, input, finding, agent));
  if (!row) return { status: 'gone' };
  if (row.status !== 'pending') return { status: row.status };
  const { channel } = agent;
  const update = (columns: Partial<MonitoringNotification>): Promise<number> =>
    reach((em) =>
      em.nativeUpdate(
        MonitoringNotification,
        { id: row.id, status: 'pending' },
        { ...columns, updatedAt: deps.clock.now() },
      ),
    );
  if (!channel) {
    await update({ status: 'skipped' });
    return { status: 'skipped' };
  }
  // Counted before it is made: one that a lost worker made counts as well.
  const attempts = row.attempts + 1;
  await update({ attempts, channelType: channel.type, channelLabel: channel.label });
  const thread = await reach((em) => threadOf(em, finding.id, channel));
  const { key: idempotencyKey, message } = row;
  let delivered: Delivered;
  try {
    const delivery = { idempotencyKey, attempt: attempts, message, signal: attempt.signal, ...(thread && { thread }) };
    delivered = await deps.deliver(channel, input.teamId, delivery);
  } catch (error) {
    if (attempt.signal.aborted) throw error;
    const failure = failureOf(
      error,
      deps.clock.now().getTime() - row.createdAt.getTime() >= (deps.giveUpAfterMs ?? GIVE_UP_AFTER_MS),
    );
    const lastError = storableText(failure.message.slice(0, 1_000));
    await update({ lastError, ...(!failure.retryable && { status: 'failed' }) });
    throw failure;
  }
  const receipt = storableText(delivered.receipt);
  const deliveredAt = deps.clock.now();
  await update({ status: 'delivered', receipt, thread: delivered.thread ?? null, deliveredAt, lastError: null });
  return { status: 'delivered', receipt };
}

/** Makes the row, unless an earlier attempt has. @returns undefined when the agent was deleted meanwhile */
async function enter(
  deps: FindingDeps,
  em: EntityManager,
  input: NotifyInput,
  finding: Finding,
  agent: MonitoringAgent,
): Promise<MonitoringNotification | undefined> {
  const key = notificationKey(finding.id, input);
  const stored = (): Promise<MonitoringNotification | null> => em.fork().findOne(MonitoringNotification, { key });
  const earlier = await stored();
  if (earlier) return earlier;
  const { channel } = agent;
  const message = storableJson(await messageFor(deps, em, input, finding, agent));
  try {
    return await em.fork().transactional(async (tx) => {
      // Held until the row is committed: whoever deletes the agent finds it.
      const lockMode = LockMode.PESSIMISTIC_READ;
      if (!(await tx.findOne(MonitoringAgent, { id: agent.id }, { lockMode }))) return undefined;
      return tx.create(MonitoringNotification, {
        teamId: input.teamId,
        agentId: agent.id,
        findingId: finding.id,
        key,
        event: input.event,
        channelType: channel?.type ?? null,
        channelLabel: channel?.label ?? null,
        status: channel ? 'pending' : 'skipped',
        message,
        lastError: null,
        receipt: null,
        thread: null,
        deliveredAt: null,
      });
    });
  } catch (error) {
    const winner = error instanceof UniqueConstraintViolationException ? await stored() : null;
    if (!winner) throw error;
    return winner;
  }
}

async function messageFor(
  deps: FindingDeps,
  em: EntityManager,
  { event, n }: NotifyInput,
  finding: Finding,
  { id, title }: MonitoringAgent,
) {
  if (event === 'test') throw new Error('A test of a channel is about no finding.');
  const investigationId = event === 'report' ? n : finding.investigationId;
  const investigation = investigationId === null ? null : await em.findOne(Investigation, { id: investigationId });
  const [before] = await em.find(
    MonitoringNotification,
    { findingId: finding.id, event: { $ne: 'report' } },
    { orderBy: { createdAt: 'desc' }, limit: 1 },
  );
  return composeMessage({
    event,
    finding,
    agent: { id, title },
    ...(investigation && {
      investigation: {
        ...investigation,
        isShared: !investigation.idempotencyKey?.startsWith(`finding:${finding.id}:`),
      },
    }),
    wasFlapping: before?.event === 'flapping',
    appUrl: deps.appUrl,
    at: deps.clock.now(),
  });
}

/** What ties a notification to the first one of its finding that went to the same place. */
async function threadOf(em: EntityManager, findingId: string, channel: StoredChannel): Promise<ThreadRef | undefined> {
  const [first] = await em.find(
    MonitoringNotification,
    { findingId, channelType: channel.type, channelLabel: channel.label, status: 'delivered', thread: { $ne: null } },
    { orderBy: { createdAt: 'asc' }, limit: 1 },
  );
  return first?.thread ?? undefined;
}

function failureOf(error: unknown, isTooLate: boolean): DeliveryError {
  const message = messageOf(error);
  const { retryable, retryAfterMs } =
    error instanceof DeliveryError ? error : { retryable: true, retryAfterMs: undefined };
  return new DeliveryError(message, { retryable: retryable && !isTooLate, retryAfterMs, cause: error });
}
