import type { EntityManager } from '../../../db/orm.ts';
import { uuidOf } from '../../../platform/uuid.ts';
import { Effect, recordDone } from '../../effects/index.ts';
import type { Finding, MonitoringAgent } from '../entities.ts';
import type { AgentNotified } from './port.ts';
import type { TriggerServiceDeps } from './service.ts';
import { PAUSED, notifyAgents, TRIGGER_RETENTION_MS, triggerKey } from './notify-agents.ts';

/**
 * Has an agent run its checks because alerts fire: once each time one of them begins. An agent that could not be
 * notified is notified by the next repetition; the findings exist in any case.
 * @param em bound to the team
 * @param firing the findings of the firing alerts
 */
export async function notifyOfAlerts(
  deps: TriggerServiceDeps,
  em: EntityManager,
  agent: MonitoringAgent,
  firing: readonly Finding[],
): Promise<AgentNotified> {
  const known = { agentId: agent.id, title: agent.title };
  if (!agent.active) return { ...known, started: false, reason: PAUSED };
  const keys = firing.map(({ id, opens }) => triggerKey(`alert/${id}/${opens.at(-1) ?? 0}`));
  const earlier = await em.find(Effect, { key: { $in: keys } }, { fields: ['key'] });
  const pending = keys.filter((key) => !earlier.some((one) => one.key === key)).toSorted();
  if (pending.length === 0) return { ...known, started: false, reason: 'It was already notified of these alerts.' };

  const triggerId = uuidOf(pending.join('\n'));
  const notifier = { checkNow: deps.launcher.checkNow, log: deps.log };
  const { agents } = await notifyAgents(notifier, [{ agent }], { triggerId, trigger: 'alert' }, false);
  const [told] = agents;
  if (!told?.started) return told ?? { ...known, started: false };
  const { teamId } = agent;
  const noted = { teamId, kind: 'trigger', keptForMs: TRIGGER_RETENTION_MS, now: deps.clock.now(), receipt: agents };
  await recordDone(
    em,
    pending.map((key) => ({ ...noted, key })),
  );
  return told;
}
