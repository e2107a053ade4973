import type { RoomCore } from '../../room.ts';
import { defineRunKind, type RunBudget } from '../runs/index.ts';
import type { LoadTeamTools } from '../tools/index.ts';
import { INVESTIGATION_WORKFLOW, investigationWorkflowId, type InvestigationWorkflowInput } from './contract.ts';
import type { Investigation } from './entities.ts';
import { investigationProfile } from './profile.ts';
import { submitReport } from './report/index.ts';
import { recordOutcome, type OutcomeDeps } from './run.ts';
import { titleOf } from './title.ts';

export const investigationRuns = defineRunKind({
  kind: 'investigation',
  readScope: 'investigations:read',
  workflowId: investigationWorkflowId,
  start: (row: Investigation, budget) => ({
    workflow: INVESTIGATION_WORKFLOW,
    ...describeInvestigation(row, budget),
  }),
  profile: ({ runTools, teamTools }: RoomCore & { teamTools: LoadTeamTools }) => ({
    tools: [...runTools, submitReport],
    load: investigationProfile(runTools, teamTools),
  }),
  finish: (deps: OutcomeDeps, { id: investigationId, teamId }, ending) =>
    recordOutcome(deps, { investigationId, teamId, ...ending }),
});

/** The argument of an investigation's workflow and what operators read of it. */
export function describeInvestigation(
  { id, teamId, query }: Pick<Investigation, 'id' | 'teamId' | 'query'>,
  budget: RunBudget,
) {
  const input: InvestigationWorkflowInput = { investigationId: id, teamId, budget };
  return { input, summary: titleOf(query), details: query.slice(0, 4_000) };
}
