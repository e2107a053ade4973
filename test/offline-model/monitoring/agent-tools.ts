/** The tools of a monitoring agent's chat over a plan in memory: the real merge and validation, without a database. */
import { z } from 'zod';
import { defineTool, errorOutput, jsonOutput, sharedTools, type Tool } from '../../../src/features/tools/index.ts';
import { describeCheck, diffPlans } from '../../../src/features/monitoring-agents/plan/describe.ts';
import { applyPatch, PlanPatch } from '../../../src/features/monitoring-agents/plan/merge.ts';
import { parsePlan } from '../../../src/features/monitoring-agents/plan/parse.ts';
import type { Plan } from '../../../src/features/monitoring-agents/plan/schema.ts';

export interface Agent {
  plan: Plan;
  active: boolean;
  /** Of the plan. */
  version: number;
  reasons: string[];
  lastResultAt: string | null;
  channel: string | null;
  /** What was asked to be written, accepted or not. */
  written: Record<string, unknown>[];
  /** Everything that was refused, with its reasons. */
  refused: unknown[];
  findings: Record<string, unknown>[];
}

export function newAgent(given: Partial<Agent> = {}): Agent {
  return {
    plan: { summary: '', checks: [] },
    active: true,
    version: 1,
    reasons: [],
    lastResultAt: null,
    channel: null,
    written: [],
    refused: [],
    findings: [],
    ...given,
  };
}

/** The shared tools and those of the agent, as its chat has them. */
export function agentTools(agent: Agent): Tool[] {
  const any = z.record(z.string(), z.unknown());
  const tool = (name: string, run: (input: Record<string, unknown>) => ReturnType<typeof jsonOutput>): Tool =>
    defineTool({
      name,
      description: name,
      input: any,
      summarize: () => name,
      repeatable: true,
      run: async (input) => run(input),
    });
  const described = () => agent.plan.checks.map((check) => ({ id: check.id, description: describeCheck(check) }));
  return [
    ...sharedTools,
    tool('read_monitoring_plan', () =>
      jsonOutput(
        {
          title: 'Agent',
          plan_version: agent.version,
          active: agent.active,
          status: agent.reasons.length > 0 ? 'degraded' : agent.active ? 'active' : 'paused',
          reasons: agent.reasons,
          reports_to: agent.channel,
          model_budget_usd_per_day: 5,
          last_result_at: agent.lastResultAt,
          plan: agent.plan,
          checks: described(),
        },
        'plan',
      ),
    ),
    tool('update_monitoring_plan', (input) => {
      agent.written.push(input);
      const before = agent.plan;
      const refuse = (problems: readonly { path: readonly PropertyKey[]; message: string }[]) => {
        agent.refused.push(problems);
        return errorOutput('The plan was not accepted.', {
          problems: problems.map(({ path, message }) => ({ at: path.map(String).join('.'), problem: message })),
        });
      };
      const { plan, patch, active } = input;
      if (patch !== undefined) {
        const parsed = PlanPatch.safeParse(patch);
        if (!parsed.success) return refuse(parsed.error.issues);
        const applied = applyPatch(agent.plan, parsed.data);
        if ('problems' in applied) return refuse(applied.problems);
        agent.plan = applied.plan;
      } else if (plan !== undefined) {
        const parsed = parsePlan(plan);
        if ('problems' in parsed) return refuse(parsed.problems);
        agent.plan = parsed.plan;
      }
      if (typeof active === 'boolean') agent.active = active;
      agent.version += 1;
      return jsonOutput(
        {
          accepted: true,
          plan_version: agent.version,
          active: agent.active,
          changes: diffPlans(before, agent.plan),
          reports_to: agent.channel,
          checks: described(),
        },
        'changed',
      );
    }),
    tool('list_monitoring_findings', () => jsonOutput({ findings: agent.findings, has_more: false }, 'findings')),
  ];
}
