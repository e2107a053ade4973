import type { RoomCore } from '../../room.ts';
import { casebookLink } from '../runs/contract.ts';
import { defineRunKind, type RunBudget, readingProfile, type LoadProfile } from '../runs/index.ts';
import { type LoadTeamTools, sharedTools, type Tool } from '../tools/index.ts';
import { INVESTIGATION_WORKFLOW, investigationWorkflowId, type InvestigationWorkflowInput } from './contract.ts';
import type { Investigation } from './entities.ts';
import { submitReport } from './report/index.ts';
import { recordOutcome, type OutcomeDeps, titleOf } from './run.ts';
import { INVESTIGATION_PROMPT } from './prompt.ts';
import { findSimilarInvestigations } from './tools/find-similar.ts';

export const investigationRuns = defineRunKind({
  kind: 'investigation',
  readScope: 'investigations:read',
  workflowId: investigationWorkflowId,
  start: (row: Investigation, budget, appUrl) => ({
    workflow: INVESTIGATION_WORKFLOW,
    ...describeInvestigation(row, budget, appUrl),
  }),
  profile({ runTools, teamTools, orm }: RoomCore) {
    const tools = [...runTools, findSimilarInvestigations({ orm })];
    return { tools: [...tools, submitReport], load: investigationProfile(tools, teamTools) };
  },
  finish: (deps: OutcomeDeps, { id: investigationId, teamId }, ending) =>
    recordOutcome(deps, { investigationId, teamId, ...ending }),
});

/** The argument of an investigation's workflow, and what operators read of it. */
export function describeInvestigation(
  { id, teamId, query }: Pick<Investigation, 'id' | 'teamId' | 'query'>,
  budget: RunBudget,
  appUrl?: string,
) {
  const url = appUrl && `${appUrl}/investigation/${id}`;
  const input: InvestigationWorkflowInput = { investigationId: id, teamId, budget, ...(url && { url }) };
  return {
    input,
    summary: titleOf(query),
    details: [...(url ? [casebookLink(url)] : []), query.slice(0, 4_000)].join('\n\n'),
  };
}

/** Maximum tokens of one answer. */
const MAX_TOKENS = 16_000;

/**
 * An investigation ends with `submit_report`.
 * @param tools in place of the shared ones
 */
export const investigationProfile = (
  tools: readonly Tool[] = sharedTools,
  teamTools: LoadTeamTools = async () => ({ tools: [] }),
): LoadProfile =>
  readingProfile({ system: INVESTIGATION_PROMPT, finish: submitReport, maxTokens: MAX_TOKENS }, tools, teamTools);
