import type { EntityManager } from '../../../db/orm.ts';
import { uuidOf } from '../../../platform/uuid.ts';
import { Effect, recordDone } from '../../effects/index.ts';
import type { Finding, MonitoringAgent } from '../entities.ts';
import type { AgentTold } from './port.ts';
import type { TriggerServiceDeps } from './service.ts';
import { PAUSED, tellAgents, TRIGGER_KEPT_MS, triggerKey } from './tell-agents.ts';

/**
 * Has an agent run its checks because alerts fire: once each time one of them begins. An agent that could not be
 * notified is notified by the next repetition; the findings exist in any case.
 * @param em bound to the team
 * @param firing the findings of the firing alerts
 */
export async function tellOfAlerts(
  deps: TriggerServiceDeps,
  em: EntityManager,
  agent: MonitoringAgent,
  firing: readonly Finding[],
): Promise<AgentTold> {
  const known = { agentId: agent.id, title: agent.title };
  if (!agent.active) return { ...known, started: false, reason: PAUSED };
  const keys = firing.map(({ id, opens }) => triggerKey(`alert/${id}/${opens.at(-1) ?? 0}`));
  const earlier = await em.find(Effect, { key: { $in: keys } }, { fields: ['key'] });
  const untold = keys.filter((key) => !earlier.some((one) => one.key === key)).toSorted();
  if (untold.length === 0) return { ...known, started: false, reason: 'It was already notified of these alerts.' };

  const triggerId = uuidOf(untold.join('\n'));
  const teller = { checkNow: deps.launcher.checkNow, log: deps.log };
  const { agents } = await tellAgents(teller, [{ agent }], { triggerId, trigger: 'alert' }, false);
  const [told] = agents;
  if (!told?.started) return told ?? { ...known, started: false };
  const { teamId } = agent;
  const noted = { teamId, kind: 'trigger', keptForMs: TRIGGER_KEPT_MS, now: deps.clock.now(), receipt: agents };
  await recordDone(
    em,
    untold.map((key) => ({ ...noted, key })),
  );
  return told;
}
