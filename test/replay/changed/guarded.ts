/** The workflow of a monitoring agent after a change that asks first whether a run began with it. */
import * as wf from '@temporalio/workflow';
import type { MonitoringAgentInput } from '../../../src/features/monitoring-agents/contract.ts';
import { monitoringAgent as before } from '../../../workflows/monitoring-agents.ts';

export async function monitoringAgent(input: MonitoringAgentInput): Promise<void> {
  if (wf.patched('a-moment-of-silence')) await wf.sleep('1s');
  await before(input);
}
