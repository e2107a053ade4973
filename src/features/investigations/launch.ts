import type { Client } from '@temporalio/client';
import { createRunLauncher, type RunBudget, type RunLauncher } from '../runs/index.ts';
import { INVESTIGATION_WORKFLOW, investigationWorkflowId, type InvestigationWorkflowInput } from './contract.ts';
import { titleOf } from './title.ts';

/** Starts and controls the workflows of investigations. */
export type InvestigationLauncher = RunLauncher<{ id: string; teamId: string; query: string }>;

/**
 * @param budget bounds of every run that is started here
 * @param taskQueue another queue than the product's own, for tests and benches
 */
export function createInvestigationLauncher(
  client: Client,
  budget: RunBudget,
  taskQueue?: string,
): InvestigationLauncher {
  return createRunLauncher(client, {
    kind: 'investigation',
    workflow: INVESTIGATION_WORKFLOW,
    workflowId: investigationWorkflowId,
    taskQueue,
    describe({ id, teamId, query }) {
      const input: InvestigationWorkflowInput = { investigationId: id, teamId, budget };
      return { teamId, input, summary: titleOf(query), details: query.slice(0, 4_000) };
    },
  });
}
