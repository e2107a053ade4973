import { z } from 'zod';
import { defineTool, errorOutput, jsonOutput } from '../../tools/index.ts';
import { checkId } from '../plan/schema.ts';
import { checkNow, findAgent } from '../service.ts';
import { planOf } from '../settings.ts';
import { forAgent, WRITE, type MonitoringToolDeps } from './deps.ts';

/** `run_check_now`: runs checks outside of their schedule, once per call. */
export const runCheckNow = (deps: MonitoringToolDeps) =>
  defineTool({
    name: 'run_check_now',
    description:
      'Runs checks of the plan now, outside of their schedule: the named ones, or all. They run in the background; list_monitoring_sessions shows their results.',
    requires: WRITE,
    repeatable: true,
    input: z.strictObject({ check_ids: z.array(checkId).min(1).max(50).optional().describe('Absent: all.') }),
    summarize: ({ check_ids: ids }) => `Run ${ids?.join(', ') ?? 'all checks'} now`,
    run: ({ check_ids: ids }, context) =>
      forAgent(deps, context, async (em, agentId) => {
        const agent = await findAgent(em, agentId);
        const { checks } = await planOf(em, agentId, agent.planVersion);
        const enabled = checks.flatMap((check) => (check.enabled ? [check.id] : []));
        const unknown = ids?.filter((id) => !enabled.includes(id)) ?? [];
        if (unknown.length > 0) {
          return errorOutput(`The plan has no enabled check ${unknown.join(', ')}.`, { checks: enabled });
        }
        if (enabled.length === 0) return errorOutput('The plan has no enabled check.');
        // The same for every attempt, so the agent accepts it once.
        await checkNow(deps, em, agentId, { triggerId: context.toolCallId, trigger: 'now', checkIds: ids });
        const running = ids ?? enabled;
        return jsonOutput({ started: running }, `Runs ${running.join(', ')}`);
      }),
  });
