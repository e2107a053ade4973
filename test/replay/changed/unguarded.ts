/** The same change, for every run: those that began before it cannot go on. */
import * as wf from '@temporalio/workflow';
import type { MonitoringAgentInput } from '../../../src/features/monitoring-agents/contract.ts';
import { monitoringAgent as before } from '../../../workflows/monitoring-agents.ts';

export async function monitoringAgent(input: MonitoringAgentInput): Promise<void> {
  await wf.sleep('1s');
  await before(input);
}
