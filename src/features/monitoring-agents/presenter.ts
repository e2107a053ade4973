import type { z } from 'zod';
import { monitoringAgentWorkflowId, type AgentState } from './contract.ts';
import type { MonitoringAgent, MonitoringPlanVersion } from './entities.ts';
import type { ListedAgent } from './service.ts';
import { presentChannel } from '../notifications/index.ts';
import { describeCheck, diffPlans } from './plan/describe.ts';
import type { Plan } from './plan/schema.ts';
import type * as schemas from './schemas.ts';
import { healthOf } from './agent/health.ts';

/** The base URL for links to workflows. */
interface AgentLinks {
  temporalUiUrl?: string;
  temporalNamespace: string;
}

export function presentAgent(
  { agent, checks, summary, openFindings, notificationError }: ListedAgent,
  { temporalUiUrl: ui, temporalNamespace: namespace }: AgentLinks,
  now: Date,
): z.input<typeof schemas.MonitoringChatSummary> {
  const workflowId = monitoringAgentWorkflowId(agent.id);
  return {
    chat_id: agent.id,
    title: agent.title,
    ...healthOf(agent, now),
    active: agent.active,
    plan_version: agent.planVersion,
    checks,
    summary,
    open_findings: openFindings,
    last_result_at: agent.lastResultAt?.toISOString() ?? null,
    next_due_at: agent.active ? (agent.nextDueAt?.toISOString() ?? null) : null,
    notification_channel: presentChannel(agent.channel),
    notification_error: notificationError,
    created_at: agent.createdAt.toISOString(),
    temporal: {
      workflow_id: workflowId,
      url: ui === undefined ? null : `${ui}/namespaces/${namespace}/workflows/${workflowId}`,
    },
  };
}

/** @param state the workflow's answer; absent: no answer, or it still carries out an older plan */
export function presentPlan(
  agent: MonitoringAgent,
  plan: Plan,
  state: AgentState | undefined,
  now: Date,
): z.input<typeof schemas.MonitoringPlanResponse> {
  const health = healthOf(agent, now);
  const isDegraded = state?.health === 'degraded' && agent.active;
  const isWell = state?.health === 'healthy' && health.status === 'starting';
  return {
    chat_id: agent.id,
    // The row may be older than the workflow's answer.
    version: state?.settings.planVersion ?? agent.planVersion,
    active: agent.active,
    plan,
    status: isDegraded ? 'degraded' : isWell ? 'active' : health.status,
    reasons: isDegraded ? state.reasons : health.reasons,
    checks: plan.checks.map((check) => {
      const known = state?.checks.find(({ checkId }) => checkId === check.id);
      return {
        id: check.id,
        title: check.title,
        description: describeCheck(check),
        running: known?.running ?? false,
        due_at: known?.dueAt ? new Date(known.dueAt).toISOString() : null,
        failures: known?.failures ?? 0,
        last: known?.last
          ? {
              status: known.last.status,
              summary: known.last.digest,
              session_id: known.last.sessionId,
              at: new Date(known.last.at).toISOString(),
            }
          : null,
      };
    }),
    answered_by: state ? 'workflow' : 'database',
  };
}

/** @param versions the newest first; the last one is shown only as the base of the change before it */
export function presentVersions(
  versions: readonly MonitoringPlanVersion[],
  count: number,
): z.input<typeof schemas.PlanVersionListResponse>['versions'] {
  return versions.slice(0, count).map((row, index) => ({
    version: row.version,
    reason: row.reason,
    changes: diffPlans(versions[index + 1]?.plan ?? { summary: '', checks: [] }, row.plan),
    changed_at: row.createdAt.toISOString(),
    changed_by: row.turnId !== null ? 'chat' : row.createdByUserId !== null ? 'user' : 'key',
    api_key_id: row.createdByCredentialId,
    user_id: row.createdByUserId,
    turn_id: row.turnId,
    plan: row.plan,
  }));
}

export function presentConfig(agent: MonitoringAgent): z.input<typeof schemas.AgentConfigResponse> {
  return {
    chat_id: agent.id,
    title: agent.title,
    notification_channel: presentChannel(agent.channel),
    eviction_hours: agent.evictionHours,
    model_budget_usd_per_day: agent.modelBudgetUsdPerDay,
  };
}
