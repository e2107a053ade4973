import { z } from 'zod';
import { defineTool, errorOutput, jsonOutput, createToolRegistry } from '../../tools/index.ts';
import { checkId, CheckSubject, type Check } from '../plan/schema.ts';
import { checkNow, findAgent } from '../service.ts';
import { planOf } from '../agent/settings.ts';
import { runCheapCheck } from '../checks/index.ts';
import type { CheapSubject } from '../checks/port.ts';
import { parsePlan } from '../plan/parse.ts';
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

const TIMEOUT_SECONDS = 40;
const MAX_OBSERVATIONS = 20;
const MAX_EVIDENCE = 5;

const offered = z.strictObject({ check: CheckSubject.describe('The `check` member of a check of the plan.') });

/** `test_monitoring_check`: what a check would report now. Stores nothing and notifies nobody. */
export const testMonitoringCheck = (deps: MonitoringToolDeps) =>
  defineTool({
    name: 'test_monitoring_check',
    description:
      'Runs a check once, now, without putting it in the plan: shows whether its source, names and conditions work, and what it sees. Stores nothing and notifies nobody. Not for instruction checks.',
    repeatable: true,
    timeoutSeconds: TIMEOUT_SECONDS,
    input: z.strictObject({ check: z.unknown() }),
    inputSchema: z.toJSONSchema(offered, { io: 'input', target: 'draft-2020-12' }),
    summarize: ({ check }) => `Test a ${typeOf(check)} check`,
    async run({ check }, context) {
      const parsed = parsePlan({ checks: [{ id: 'test', title: 'Test', schedule: { every_seconds: 300 }, check }] });
      if ('problems' in parsed) {
        return errorOutput('This is not a check.', {
          problems: parsed.problems.map(({ path, message }) => ({ at: path.slice(3).join('.'), problem: message })),
        });
      }
      const [planned] = parsed.plan.checks;
      if (!planned || !isCheap(planned)) {
        return errorOutput(
          'An instruction check cannot be tested: use the tools to see whether it can be carried out.',
        );
      }
      return forAgent(deps, context, async (_em, agentId) => {
        const { teamId, toolCallId, actor, sources, clock, signal } = context;
        const tools = async () => {
          const own = await deps.teamTools(teamId);
          return createToolRegistry(own.tools.filter(({ sideEffect }) => !sideEffect));
        };
        // It belongs to no finding, so it knows of no fault.
        const faults = async () => new Map();
        const session = { teamId, agentId, sessionId: toolCallId, actor, sources, clock, signal, tools, faults };
        const { status, summary, observations, evidence } = await runCheapCheck(planned.check, session);
        return jsonOutput(
          {
            status,
            summary,
            observations: observations.slice(0, MAX_OBSERVATIONS),
            observed: observations.length,
            evidence: evidence.slice(0, MAX_EVIDENCE),
          },
          `${status}: ${summary}`,
        );
      });
    },
  });

const isCheap = (check: Check): check is Check & { check: CheapSubject } => check.check.type !== 'instruction';

const typeOf = (check: unknown): string =>
  typeof check === 'object' && check !== null && 'type' in check ? String(check.type) : 'new';
