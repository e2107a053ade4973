import { randomUUID } from 'node:crypto';
import type { EntityManager } from '../../../db/orm.ts';
import { uuidOf } from '../../../platform/uuid.ts';
import type { Finding, MonitoringAgent } from '../entities.ts';
import { MonitoringTrigger } from './entities.ts';
import type { AgentTold } from './port.ts';
import type { TriggerServiceDeps } from './service.ts';
import { PAUSED, tellAgents } from './tell-agents.ts';

/**
 * Has an agent run its checks because alerts fire: once each time one of them has begun. An agent that could not be told
 * is told with the next repetition; the findings are there in any case.
 * @param em bound to the team
 * @param firing the findings of the alerts that fire
 */
export async function tellOfAlerts(
  deps: TriggerServiceDeps,
  em: EntityManager,
  agent: MonitoringAgent,
  firing: readonly Finding[],
): Promise<AgentTold> {
  const known = { agentId: agent.id, title: agent.title };
  if (!agent.active) return { ...known, started: false, reason: PAUSED };
  const keys = firing.map(({ id, opens }) => `alert/${id}/${opens.at(-1) ?? 0}`);
  const earlier = await em.find(MonitoringTrigger, { key: { $in: keys } }, { fields: ['key'] });
  const untold = keys.filter((key) => !earlier.some((one) => one.key === key)).toSorted();
  if (untold.length === 0) return { ...known, started: false, reason: 'It was told of these alerts before.' };

  const triggerId = uuidOf(untold.join('\n'));
  const teller = { checkNow: deps.launcher.checkNow, log: deps.log };
  const { agents } = await tellAgents(teller, [{ agent }], { triggerId, trigger: 'alert' }, false);
  const [told] = agents;
  if (!told?.started) return told ?? { ...known, started: false };
  const now = deps.clock.now();
  await em.upsertMany(
    MonitoringTrigger,
    untold.map((key) => ({
      id: randomUUID(),
      createdAt: now,
      updatedAt: now,
      teamId: agent.teamId,
      key,
      kind: 'alert' as const,
      triggerId,
      digest: '',
      details: {},
      receivedAt: now,
      told: agents,
    })),
    { onConflictFields: ['teamId', 'key'], onConflictAction: 'ignore' },
  );
  return told;
}
