import { z } from 'zod';
import { likeLiteral } from '../../../db/text-search.ts';
import type { EntityManager } from '../../../db/orm.ts';
import { forTeam } from '../../../db/team-filter.ts';
import { shownStatus } from '../../runs/index.ts';
import { untilReachable } from '../../../db/reach.ts';
import { count, defineTool, errorOutput, jsonOutput } from '../../tools/index.ts';
import { Investigation } from '../entities.ts';
import type { StartInvestigationResult } from './results.ts';
import { startInvestigation as start } from '../service.ts';
import { storableText, type InvestigationToolDeps } from './investigation.ts';

/** How many investigations one run may start: a person would think before paying for each. */
const MAX_PER_RUN = 3;

class TooManyStarted extends Error {}

/**
 * `start_investigation`: an investigation on behalf of the run's owner. The row's idempotency key names the run and the
 * call: a repeated attempt finds what the first one started, and a run's starts can be counted.
 */
export const startInvestigation = (deps: InvestigationToolDeps) =>
  defineTool({
    name: 'start_investigation',
    description:
      'Starts an investigation of a production problem: a longer run that looks at all sources and ends with a cited root cause. It runs in the background; wait for it with follow_investigation. First look with list_investigations whether it was investigated already.',
    requires: 'investigations:write',
    input: z.strictObject({
      query: storableText(20_000).describe(
        'The problem, for somebody who does not know this conversation: the symptom, the service, the time, what is known already.',
      ),
    }),
    summarize: ({ query }) => `Investigate: ${query}`,
    async run({ query }, context) {
      const { runId, toolCallId, teamId, actor, signal } = context;
      const prefix = `run ${runId} `;
      const wanted = {
        // In PostgreSQL's form: a repeated attempt compares them.
        query: query.toWellFormed(),
        idempotencyKey: prefix + toolCallId,
        parentRunId: runId,
        trigger: 'chat' as const,
        admit: (tx: EntityManager) => admit(tx, prefix, prefix + toolCallId),
      };
      try {
        const { id, status } = await untilReachable(
          () => start(deps, forTeam(deps.orm.em, teamId), actor, wanted),
          signal,
        );
        const result: StartInvestigationResult = {
          investigation_id: id,
          status: shownStatus(status),
          url: `${deps.appUrl}/investigation/${id}`,
        };
        return jsonOutput(result, `Started investigation ${id}`);
      } catch (error) {
        if (!(error instanceof TooManyStarted)) throw error;
        return errorOutput(
          `${count(MAX_PER_RUN, 'investigation')} were started for this question already, which is the most. Follow those, and tell the person what else would be worth one.`,
        );
      }
    },
  });

/** Calls of one run are made in parallel, on any worker, so they are counted one after another. */
async function admit(tx: EntityManager, prefix: string, own: string): Promise<void> {
  await tx.execute('select pg_advisory_xact_lock(hashtextextended(?, 0))', [prefix]);
  // Another attempt of this very call may have been faster: that is not another investigation.
  const others = { $like: `${likeLiteral(prefix)}%`, $ne: own };
  const started = await tx.count(Investigation, { idempotencyKey: others });
  if (started >= MAX_PER_RUN) throw new TooManyStarted();
}
