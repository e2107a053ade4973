import { z } from 'zod';
import { count, defineTool, jsonOutput } from '../../tools/index.ts';
import { describeCheck } from '../plan/describe.ts';
import { nextTimes } from '../schedule/index.ts';
import { findAgent } from '../service.ts';
import { planOf } from '../settings.ts';
import { healthOf } from '../health.ts';
import { forAgent, type MonitoringToolDeps } from './deps.ts';

/** `read_monitoring_plan`: what the agent watches, and its status. */
export const readMonitoringPlan = (deps: MonitoringToolDeps) =>
  defineTool({
    name: 'read_monitoring_plan',
    description:
      'Reads your monitoring plan: its version, its checks with their next due times, whether you are active or paused, your health, and where you send notifications.',
    // Not cached: a change invalidates what was read before it.
    repeatable: true,
    input: z.strictObject({}),
    summarize: () => 'Read the monitoring plan',
    run: (_input, context) =>
      forAgent(deps, context, async (em, agentId) => {
        const now = context.clock.now();
        const agent = await findAgent(em, agentId);
        const plan = await planOf(em, agentId, agent.planVersion);
        const dueAt = (check: (typeof plan.checks)[number]): string | null => {
          const [next] = agent.active && check.enabled ? nextTimes(check.schedule, agentId, now.getTime(), 1) : [];
          return next === undefined ? null : new Date(next).toISOString();
        };
        return jsonOutput(
          {
            title: agent.title,
            plan_version: agent.planVersion,
            active: agent.active,
            ...healthOf(agent, now),
            reports_to: agent.channel?.label ?? null,
            model_budget_usd_per_day: agent.modelBudgetUsdPerDay,
            last_result_at: agent.lastResultAt?.toISOString() ?? null,
            plan,
            checks: plan.checks.map((check) => ({
              id: check.id,
              description: describeCheck(check),
              next_scheduled_at: dueAt(check),
            })),
          },
          `Version ${agent.planVersion}, ${count(plan.checks.length, 'check')}${agent.active ? '' : ', paused'}`,
        );
      }),
  });
