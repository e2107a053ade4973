import { z } from 'zod';
import type { FilterQuery } from '@mikro-orm/core';
import { count, defineTool, jsonOutput } from '../../tools/index.ts';
import { Finding } from '../entities.ts';
import { forAgent, type MonitoringToolDeps } from './deps.ts';

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
