import { z } from 'zod';
import { createToolRegistry, defineTool, errorOutput, jsonOutput } from '../../tools/index.ts';
import { runCheapCheck } from '../checks/index.ts';
import type { CheapSubject } from '../checks/port.ts';
import { parsePlan } from '../plan/parse.ts';
import { CheckSubject, type Check } from '../plan/schema.ts';
import { forAgent, type MonitoringToolDeps } from './deps.ts';

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
        const session = { teamId, agentId, sessionId: toolCallId, actor, sources, clock, signal, tools };
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
