import { z } from 'zod';
import { forTeam } from '../../../db/team-filter.ts';
import { conversationStream, followRun, type RunProgress, isOpen, shownStatus } from '../../runs/index.ts';
import { untilReachable } from '../../../db/reach.ts';
import { count, defineTool, jsonOutput, type ToolContext } from '../../tools/index.ts';
import { investigationWorkflowId } from '../contract.ts';
import { endingOf } from '../status/events.ts';
import type { FollowInvestigationResult } from './results.ts';
import { getInvestigation } from '../service.ts';
import {
  findInvestigation,
  investigationIdInput,
  unknownInvestigation,
  type InvestigationToolDeps,
} from './investigation.ts';

const MAX_WAIT_SECONDS = 120;
/** Time besides the wait, for reading the row and querying the workflow. */
const TIMEOUT_SECONDS = MAX_WAIT_SECONDS + 30;

/** `follow_investigation`: waits a while for the end of an investigation, and reports its progress. */
export const followInvestigation = (deps: InvestigationToolDeps) =>
  defineTool({
    name: 'follow_investigation',
    description:
      'Waits until an investigation has ended, at most wait_seconds, and returns its status and report, or how far it is. Call it again to wait longer: investigations take minutes.',
    requires: 'investigations:read',
    repeatable: true,
    timeoutSeconds: TIMEOUT_SECONDS,
    input: z.strictObject({
      investigation_id: investigationIdInput,
      wait_seconds: z
        .number()
        .int()
        .min(0)
        .max(MAX_WAIT_SECONDS)
        .default(60)
        .describe(`Most seconds to wait for its end, 60 by default, at most ${MAX_WAIT_SECONDS}; 0 to look only.`),
    }),
    summarize: ({ investigation_id: id }) => `Follow investigation ${id}`,
    async run({ investigation_id: id, wait_seconds: seconds }, context) {
      const found = await findInvestigation(deps, context, id);
      if (!found) return unknownInvestigation(id);
      if (isOpen(found.status) && seconds > 0) await untilEnded(deps, context, id, seconds);
      const row = (await findInvestigation(deps, context, id)) ?? found;
      const running = isOpen(row.status);
      const progress = running ? await progressOf(deps, id) : undefined;
      const result: FollowInvestigationResult = {
        investigation_id: row.id,
        status: shownStatus(row.status),
        alert_summary: row.alertSummary,
        investigation_text: row.investigationText,
        ...(progress && { progress }),
      };
      const far = progress
        ? `${progress.phase}, step ${progress.step}, ${count(progress.tool_calls, 'tool call')}`
        : '';
      return jsonOutput(result, `${row.status}: ${running ? far || 'no worker answers' : row.alertSummary}`);
    },
  });

/** Follows the run's events, which end with it, ignoring their content. */
async function untilEnded(
  deps: InvestigationToolDeps,
  { teamId, signal }: ToolContext,
  id: string,
  seconds: number,
): Promise<void> {
  const waiting = AbortSignal.any([signal, AbortSignal.timeout(seconds * 1_000)]);
  const ending = async () => endingOf(await getInvestigation(forTeam(deps.orm.em, teamId), id));
  const follow = async (): Promise<void> => {
    const events = followRun(deps.events, conversationStream(id), { ending, signal: waiting });
    while (!(await events.next()).done);
  };
  try {
    await untilReachable(follow, waiting);
  } catch (error) {
    // The server was away for the whole wait, so the end was not observed.
    if (!waiting.aborted) throw error;
  }
  signal.throwIfAborted();
}

async function progressOf(
  deps: InvestigationToolDeps,
  id: string,
): Promise<FollowInvestigationResult['progress'] | undefined> {
  const answer: RunProgress | undefined = await deps.launcher
    .progress(investigationWorkflowId(id))
    .catch(() => undefined);
  return answer && { phase: answer.phase, step: answer.step, tool_calls: answer.toolCalls };
}
