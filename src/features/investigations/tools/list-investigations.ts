import { z } from 'zod';
import { forTeam } from '../../../db/team-filter.ts';
import { shownStatus } from '../../runs/index.ts';
import { untilReachable } from '../../../db/reach.ts';
import { count, defineTool, jsonOutput, oneLine } from '../../tools/index.ts';
import type { ListInvestigationsResult } from '../results.ts';
import { investigationStatus } from '../schemas.ts';
import { listInvestigations as listRows } from '../service.ts';
import { storableText, type InvestigationToolDeps } from './investigation.ts';

const QUERY_CHARACTERS = 300;

/** `list_investigations`: the team's earlier investigations, newest first. */
export const listInvestigations = (deps: InvestigationToolDeps) =>
  defineTool({
    name: 'list_investigations',
    description:
      "Lists the team's investigations, newest first: what was asked, the status and the finding in one line. With search only those whose question or finding contains the text.",
    requires: 'investigations:read',
    input: z.strictObject({
      search: storableText(200).optional().describe('Text to find in the question or the finding, in any case.'),
      status: investigationStatus.optional(),
      limit: z.number().int().min(1).max(20).default(10).describe('Most investigations to list, 10 by default.'),
    }),
    summarize: ({ search, status }) =>
      `List ${status ?? 'all'} investigations${search === undefined ? '' : ` about "${search}"`}`,
    async run({ search, status, limit }, { teamId, signal }) {
      const wanted = { page: 1, count: limit, status, search: search?.trim() };
      const { items, total } = await untilReachable(() => listRows(forTeam(deps.orm.em, teamId), wanted), signal);
      const result: ListInvestigationsResult = {
        investigations: items.map((row) => ({
          investigation_id: row.id,
          query: oneLine(row.query, QUERY_CHARACTERS),
          status: shownStatus(row.status),
          alert_summary: row.alertSummary,
          created_at: row.createdAt.toISOString(),
        })),
        total,
      };
      return jsonOutput(
        result,
        total > items.length ? `${items.length} of ${total} investigations` : count(total, 'investigation'),
      );
    },
  });
