import { z } from 'zod';
import { count, defineTool, jsonOutput } from '../../tools/index.ts';
import { listSessions } from '../sessions/list.ts';
import { SESSION_STATUSES } from '../sessions/schemas.ts';
import { forAgent, type MonitoringToolDeps } from './deps.ts';

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
