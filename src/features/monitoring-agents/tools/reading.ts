import { z } from 'zod';
import type { FilterQuery } from '@mikro-orm/core';
import { count, defineTool, jsonOutput } from '../../tools/index.ts';
import { describeCheck } from '../plan/describe.ts';
import { nextTimes } from '../schedule/index.ts';
import { findAgent } from '../service.ts';
import { planOf } from '../agent/settings.ts';
import { healthOf } from '../agent/health.ts';
import { listSessions } from '../sessions/list.ts';
import { SESSION_STATUSES } from '../sessions/schemas.ts';
import { Finding } from '../entities.ts';
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

/** `list_monitoring_sessions`: the results of the agent's checks. */
export const listMonitoringSessions = (deps: MonitoringToolDeps) =>
  defineTool({
    name: 'list_monitoring_sessions',
    description:
      'Lists the latest runs of your checks, the newest first: when each ran, its result for each subject, and its cost. Old ones are deleted.',
    repeatable: true,
    input: z.strictObject({
      check_id: z.string().max(64).optional().describe('Only of this check.'),
      status: z.enum(SESSION_STATUSES).optional(),
      page: z.number().int().min(1).max(1_000).default(1),
      limit: z.number().int().min(1).max(50).default(20).describe('Maximum runs to return, 20 by default.'),
    }),
    summarize: ({ check_id: id, status }) =>
      `List the runs of ${id ?? 'all checks'}${status === undefined ? '' : `: ${status}`}`,
    run: ({ limit, ...wanted }, context) =>
      forAgent(deps, context, async (em, agentId) => {
        const { sessions, has_more } = await listSessions(em, agentId, { ...wanted, count: limit });
        return jsonOutput({ sessions, has_more }, `${count(sessions.length, 'run')}${has_more ? ' and more' : ''}`);
      }),
  });

const STATUSES = ['pending', 'open', 'resolved', 'closed'] as const;

/** `list_monitoring_findings`: what the agent has found. */
export const listMonitoringFindings = (deps: MonitoringToolDeps) =>
  defineTool({
    name: 'list_monitoring_findings',
    description:
      'Lists your findings, the latest seen first: what each is, since when, whether it is over, and the investigation it opened (read_investigation returns the report). pending: seen, but not confirmed yet.',
    repeatable: true,
    input: z.strictObject({
      status: z.enum(STATUSES).optional(),
      limit: z.number().int().min(1).max(50).default(20).describe('Maximum findings to return, 20 by default.'),
    }),
    summarize: ({ status }) => `List ${status ?? 'all'} findings`,
    run: ({ status, limit }, context) =>
      forAgent(deps, context, async (em, agentId) => {
        const where: FilterQuery<Finding> = { agentId };
        if (status) where.status = status;
        const options = { orderBy: { lastSeenAt: 'desc', id: 'desc' }, limit: limit + 1 } as const;
        const found = await em.find(Finding, where, options);
        const findings = found.slice(0, limit).map((finding) => ({
          id: finding.id,
          status: finding.status,
          title: finding.title,
          summary: finding.summary,
          severity: finding.severity,
          service: finding.service,
          origin: finding.origin,
          opened_at: finding.openedAt?.toISOString() ?? null,
          last_seen_at: finding.lastSeenAt.toISOString(),
          resolved_at: finding.resolvedAt?.toISOString() ?? null,
          closed_at: finding.closedAt?.toISOString() ?? null,
          occurrences: finding.occurrences,
          is_flapping: finding.isFlapping,
          investigation_id: finding.investigationId,
        }));
        const hasMore = found.length > limit;
        return jsonOutput(
          { findings, has_more: hasMore },
          `${count(findings.length, 'finding')}${hasMore ? ' and more' : ''}`,
        );
      }),
  });
