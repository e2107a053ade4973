import { LockMode } from '@mikro-orm/core';
import type { EntityManager } from '../../../db/orm.ts';
import { Effect, endEffect } from '../../effects/index.ts';
import { Investigation } from '../../investigations/index.ts';
import { deliverNotification, enterNotification, notificationOf, threadOf } from '../../notifications/index.ts';
import type { Attempt } from '../../runs/index.ts';
import { reaching } from '../../../db/reach.ts';
import { Finding, FindingAct, MonitoringAgent } from '../entities.ts';
import type { NotifyInput, NotifyResult } from './contract.ts';
import type { FindingDeps } from './deps.ts';
import { noticeOf, notificationKey } from './due.ts';
import { composeMessage, isAct, isStatusEvent } from './messages.ts';
import { notifiedOf } from './queries.ts';

/**
 * Notifies people of one event, once: a delivered notification is not sent again.
 * @throws {DeliveryError} when the channel did not accept it; not retryable once it is given up, which the row then
 *   records
 */
export async function notify(
  deps: FindingDeps,
  input: NotifyInput,
  attempt: Pick<Attempt, 'signal'>,
): Promise<NotifyResult> {
  const reach = reaching(deps, input, attempt);
  const finding = await reach((em) => em.findOne(Finding, { id: input.findingId }));
  const agentId = finding?.agentId ?? null;
  const agent = agentId === null ? null : await reach((em) => em.findOne(MonitoringAgent, { id: agentId }));
  if (!finding || !agent) return { status: 'gone' };
  const { channel } = agent;
  const effect = await reach((em) => enter(deps, em, input, finding, agent));
  if (!effect) return { status: 'gone' };
  const { status } = notificationOf(effect);
  if (status !== 'pending') return { status };
  if (!channel) {
    await reach((em) => endEffect(em, effect.id, { status: 'skipped' }));
    return { status: 'skipped' };
  }
  const thread = await reach((em) => threadOf(em, finding.id, channel));
  const { receipt } = await deliverNotification(deps, effect, channel, { thread, signal: attempt.signal });
  return { status: 'delivered', receipt };
}

/** Creates the row unless an earlier attempt did. @returns undefined when the agent was deleted meanwhile */
async function enter(
  deps: FindingDeps,
  em: EntityManager,
  input: NotifyInput,
  finding: Finding,
  agent: MonitoringAgent,
): Promise<Effect | undefined> {
  const key = notificationKey(finding.id, input);
  const earlier = await em.findOne(Effect, { key });
  if (earlier) return earlier;
  const { channel, teamId, id: ownerId } = agent;
  const message = await messageFor(deps, em, input, finding, agent);
  return em.fork().transactional(async (tx) => {
    // Locked until the row is committed, so that a deletion of the agent finds it.
    const lockMode = LockMode.PESSIMISTIC_READ;
    if (!(await tx.findOne(MonitoringAgent, { id: ownerId }, { lockMode }))) return undefined;
    return enterNotification(tx, { teamId, key, ownerId, subjectId: finding.id, message, channel });
  });
}

async function messageFor(
  deps: FindingDeps,
  em: EntityManager,
  { event, n }: NotifyInput,
  finding: Finding,
  { id, title }: MonitoringAgent,
) {
  if (event === 'test') throw new Error('A channel test does not concern a finding.');
  const investigationId = event === 'report' ? n : finding.investigationId;
  const investigation = investigationId === null ? null : await em.findOne(Investigation, { id: investigationId });
  const act = isAct(event) ? await em.findOneOrFail(FindingAct, { id: n, findingId: finding.id }) : undefined;
  const before = (await notifiedOf(em, finding.id)).findLast((one) => isStatusEvent(noticeOf(finding.id, one).event));
  return composeMessage({
    event,
    finding,
    agent: { id, title },
    ...(act && { act }),
    ...(investigation && {
      investigation: {
        ...investigation,
        isShared: !investigation.idempotencyKey?.startsWith(`finding ${finding.id} `),
      },
    }),
    wasFlapping: before !== undefined && noticeOf(finding.id, before).event === 'flapping',
    appUrl: deps.appUrl,
    at: deps.clock.now(),
  });
}
