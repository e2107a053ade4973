import { z } from 'zod';
import { forTeam } from '../../../db/team-filter.ts';
import { untilReachable } from '../../../db/reach.ts';
import { count, defineTool, jsonOutput } from '../../tools/index.ts';
import { findSimilar } from '../similar/find.ts';
import { fingerprint } from '../similar/traits.ts';
import { storableText, type InvestigationToolDeps } from './investigation.ts';
import type { FindSimilarInvestigationsResult } from './results.ts';

/** `find_similar_investigations`: the team's ended ones with the same service at fault, alert or log template. */
export const findSimilarInvestigations = (deps: Pick<InvestigationToolDeps, 'orm'>) =>
  defineTool({
    name: 'find_similar_investigations',
    description:
      "Finds the team's ended investigations that share the service at fault, the alert (service and metric) or an error pattern of the log, with what they found and whether people judged that right or wrong. A hint where to look, not evidence of what happens now.",
    requires: 'investigations:read',
    input: z.strictObject({
      service: storableText(200).optional().describe('The suspected service.'),
      alert_service: storableText(200).optional().describe('The alerting service.'),
      alert_metric: storableText(300).optional().describe('The alerting metric, if the alert names one.'),
      template: storableText(300).optional().describe('A pattern of search_logs, verbatim.'),
      limit: z.number().int().min(1).max(20).default(5),
    }),
    summarize: ({ service, alert_service: alerting }) =>
      `Find earlier investigations like that of ${service ?? alerting ?? 'this log'}`,
    async run(input, { teamId, signal, conversationId }) {
      const { service = null, alert_service: alerting, alert_metric: metric, template, limit } = input;
      const wanted = {
        service,
        alert:
          alerting === undefined ? null : fingerprint({ service: alerting, ...(metric !== undefined && { metric }) }),
        templates: template === undefined ? [] : [template],
      };
      const find = () => findSimilar(forTeam(deps.orm.em, teamId), wanted, { limit, except: conversationId });
      const similar = await untilReachable(find, signal);
      const result: FindSimilarInvestigationsResult = {
        investigations: similar.map(({ row, shares }) => ({
          investigation_id: row.id,
          alert_summary: row.alertSummary,
          service: row.traits?.service ?? null,
          shares,
          judgement: row.judgement,
          created_at: row.createdAt.toISOString(),
        })),
      };
      return jsonOutput(result, count(similar.length, 'similar investigation'));
    },
  });
