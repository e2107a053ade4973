import type { Client } from '@temporalio/client';
import { createRunLauncher, type RunBudget, type RunLauncher } from '../runs/index.ts';
import { INVESTIGATION_WORKFLOW, investigationWorkflowId, type InvestigationWorkflowInput } from './contract.ts';
import { titleOf } from './title.ts';

/** The parts of an investigation that starting its workflow needs. */
export interface StartedInvestigation {
  id: string;
  teamId: string;
  query: string;
}

export type InvestigationLauncher = RunLauncher<StartedInvestigation>;

/**
 * @param budget bounds of every run that is started here
 * @param taskQueue another queue than the product's own, for tests and benches
 * @param deadlineMs how long Temporal is waited for, likewise
 */
export function createInvestigationLauncher(
  client: Client,
  budget: RunBudget,
  taskQueue?: string,
  deadlineMs?: number,
): InvestigationLauncher {
  return createRunLauncher(client, {
    kind: 'investigation',
    workflow: INVESTIGATION_WORKFLOW,
    workflowId: investigationWorkflowId,
    taskQueue,
    deadlineMs,
    describe: (row) => ({ teamId: row.teamId, ...describeInvestigation(row, budget) }),
  });
}

/** The workflow's argument, and what operators read about it. */
export function describeInvestigation({ id, teamId, query }: StartedInvestigation, budget: RunBudget) {
  const input: InvestigationWorkflowInput = { investigationId: id, teamId, budget };
  return { input, summary: titleOf(query), details: query.slice(0, 4_000) };
}
