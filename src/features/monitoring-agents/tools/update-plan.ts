import { z } from 'zod';
import type { EntityManager } from '../../../db/orm.ts';
import { count, defineTool, errorOutput, jsonOutput, type ToolContext, type ToolOutput } from '../../tools/index.ts';
import type { Plan as MonitoringPlan } from '../contract.ts';
import { type MonitoringAgent, MonitoringPlanVersion } from '../entities.ts';
import { describeCheck, diffPlans } from '../plan/describe.ts';
import { applyPatch, mergePlan, PlanPatch } from '../plan/merge.ts';
import { parsePlan, type ParsedPlan } from '../plan/parse.ts';
import { Plan } from '../plan/schema.ts';
import { changePlan, findAgent, PlanRefused } from '../service.ts';
import { canonicalPlan, planOf } from '../agent/settings.ts';
import { forAgent, WRITE, type MonitoringToolDeps } from './deps.ts';

const MAX_PROBLEMS = 30;

const reason = z.string().trim().min(1).max(1_000).describe('Why, in words: what the person asked for.');
const active = z.boolean().optional().describe('false pauses, true resumes.');
const baseVersion = z
  .number()
  .int()
  .min(1)
  .optional()
  .describe('The version you read; the change is refused if the plan has a different one.');

/** Accepts anything here: the plan validator used everywhere then reports all problems at once. */
const input = z.strictObject({
  plan: z.unknown().optional(),
  patch: z.unknown().optional(),
  active,
  reason,
  base_version: baseVersion,
});
type Input = z.infer<typeof input>;

const offered = z.strictObject({
  plan: Plan.optional().describe('The whole plan. Checks missing from it no longer run.'),
  patch: PlanPatch.optional().describe('Or only the changes; everything else stays.'),
  active,
  reason,
  base_version: baseVersion,
});

/** `update_monitoring_plan`: changes what the agent watches. Refuses an invalid plan with every reason. */
export const updateMonitoringPlan = (deps: MonitoringToolDeps) =>
  defineTool({
    name: 'update_monitoring_plan',
    description:
      'Changes your monitoring plan: the whole plan, or a patch of checks by their id. Takes effect at once. An invalid plan is refused with every reason, and nothing changes. Use active to pause and resume.',
    requires: WRITE,
    input,
    inputSchema: z.toJSONSchema(offered, { io: 'input', target: 'draft-2020-12' }),
    summarize: ({ reason: why }) => `Change the monitoring plan: ${why}`,
    run: (wanted, context) => forAgent(deps, context, (em, agentId) => update(deps, em, agentId, wanted, context)),
  });

async function update(
  deps: MonitoringToolDeps,
  em: EntityManager,
  agentId: string,
  wanted: Input,
  context: ToolContext,
): Promise<ToolOutput> {
  const { plan, active: isActive, reason: why, base_version: version } = wanted;
  if (plan !== undefined && wanted.patch !== undefined) return errorOutput('Give plan or patch, not both.');
  if (plan === undefined && wanted.patch === undefined && isActive === undefined) {
    return errorOutput('No change given: give plan, patch or active.');
  }
  const agent = await findAgent(em, agentId);
  const before = await planOf(em, agentId, agent.planVersion);
  const patch = wanted.patch === undefined ? undefined : PlanPatch.safeParse(wanted.patch);
  if (patch?.error) {
    const whole = applyPatch(before, wanted.patch);
    return refused('problems' in whole ? whole.problems : patch.error.issues);
  }
  const after =
    plan !== undefined ? parsePlan(plan) : patch ? parsePlan(mergePlan(before, patch.data)) : { plan: before };
  if (await isDone(em, agent, before, after, wanted, context))
    return changed(agent, before, before, 'It is so already.');
  const checked = patch ? applyPatch(before, patch.data) : after;
  if ('problems' in checked) return refused(checked.problems);
  try {
    const change = { agentId, baseVersion: version, active: isActive, reason: why, turnId: context.runId };
    const done = await changePlan(deps, em, context.actor, { ...change, plan, patch: patch?.data });
    return changed(done.agent, before, done.plan, done.isChanged ? undefined : 'It was so already.');
  } catch (error) {
    if (error instanceof PlanRefused) return refused(error.problems);
    throw error;
  }
}

/** Whether an earlier attempt of this very call made the change: then it is no reason for a refusal. */
async function isDone(
  em: EntityManager,
  agent: MonitoringAgent,
  before: MonitoringPlan,
  after: ParsedPlan,
  { reason: why, active: isActive }: Input,
  { runId, clock }: ToolContext,
): Promise<boolean> {
  if ('problems' in after || JSON.stringify(canonicalPlan(after.plan)) !== JSON.stringify(before)) return false;
  if (isActive !== undefined && isActive !== agent.active) return false;
  const made = { agentId: agent.id, turnId: runId, reason: why, createdAt: { $gte: clock.now() } };
  return (await em.count(MonitoringPlanVersion, made)) > 0;
}

function changed(agent: MonitoringAgent, before: MonitoringPlan, after: MonitoringPlan, note?: string): ToolOutput {
  const changes = diffPlans(before, after);
  return jsonOutput(
    {
      accepted: true,
      plan_version: agent.planVersion,
      active: agent.active,
      changes,
      ...(note !== undefined && { note }),
      reports_to: agent.channel?.label ?? null,
      checks: after.checks.map((check) => ({
        id: check.id,
        description: describeCheck(check),
        severity: check.severity,
      })),
    },
    `Version ${agent.planVersion}: ${changes.length > 0 ? changes.join('; ') : (note ?? 'no check has changed')}`,
  );
}

function refused(problems: readonly { path: readonly PropertyKey[]; message: string }[]): ToolOutput {
  return errorOutput(
    `The plan was not accepted, and nothing was changed: ${count(problems.length, 'problem')}. Correct all of them and try again.`,
    {
      problems: problems
        .slice(0, MAX_PROBLEMS)
        .map(({ path, message }) => ({ at: path.map(String).join('.'), problem: message })),
    },
  );
}
