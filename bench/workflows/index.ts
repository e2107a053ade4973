/** The product's workflows, and beside them the least that does the same work: what `bench/throughput.ts` compares. */
import * as wf from '@temporalio/workflow';
import type { InvestigationActivities } from '../../activities/investigations.ts';
import type { RunActivities } from '../../activities/runs.ts';

export * from '../../workflows/index.ts';
export * from './starts.ts';
export * from './timers.ts';

export interface BareInvestigationInput {
  investigationId: string;
  teamId: string;
  toolTimeoutSeconds: number;
}

const { beginInvestigation, modelTurn, callTool, finishInvestigation } = wf.proxyActivities<
  InvestigationActivities & RunActivities
>({
  startToCloseTimeout: '15 minutes',
  heartbeatTimeout: '12s',
  retry: { maximumAttempts: 10 },
});

/**
 * Calls the activities of an investigation in the order of an investigation, with the same inputs, and does nothing
 * else: no query, no signal, no details for operators, no search attributes, no budgets.
 */
export async function bareInvestigation(input: BareInvestigationInput): Promise<void> {
  const { investigationId, teamId, toolTimeoutSeconds: timeoutSeconds } = input;
  const subject = { investigationId, teamId };
  const run = { kind: 'investigation' as const, conversationId: investigationId, teamId };
  await beginInvestigation(subject);
  for (let step = 1, finished = false; !finished; step++) {
    const { toolCalls } = await modelTurn({ ...run, step, mode: 'work' });
    const results = await Promise.all(
      toolCalls.map(({ toolCallId }) => callTool({ ...run, toolCallId, timeoutSeconds })),
    );
    finished = results.some((result) => result.finished);
  }
  await finishInvestigation({ ...subject, outcome: 'completed' });
}
