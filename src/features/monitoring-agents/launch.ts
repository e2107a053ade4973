import { WorkflowNotFoundError, type Client } from '@temporalio/client';
import { TypedSearchAttributes } from '@temporalio/common';
import { TASK_QUEUE } from '../../../temporal/queues.ts';
import { kindAttribute, teamAttribute } from '../../../temporal/search-attributes.ts';
import { casebookLink } from '../runs/contract.ts';
import { createWorkflowControl, type WorkflowState } from '../runs/index.ts';
import {
  agentQuery,
  checkNowSignal,
  MONITORING_AGENT_WORKFLOW,
  monitoringAgentWorkflowId,
  settingsSignal,
  type AgentRef,
  type AgentSettings,
  type AgentState,
  type CheckNow,
  type MonitoringAgentInput,
} from './contract.ts';

/**
 * Keeps histories short: a workflow outside the worker's cache is replayed when it wakes, and while signals keep
 * coming, continue-as-new is retried with a replay each time. Equals about two hours of checks at five minutes.
 */
export const EVENTS_PER_HISTORY = 300;

/** Starts and controls the workflows of monitoring agents. */
export interface AgentLauncher {
  /** Sends the newest settings; starts a missing workflow. @throws when Temporal did not accept it */
  notify(agent: AgentRef, settings: AgentSettings): Promise<void>;
  /** Requests a run of checks now; starts a missing workflow. @throws when Temporal did not accept it */
  checkNow(agent: AgentRef & { title: string }, wanted: CheckNow): Promise<void>;
  /** Cancels the workflow, if one is running. @throws when Temporal did not accept it */
  end(agentId: string): Promise<void>;
  /** @throws when no worker answers, or the workflow does not exist */
  query(workflowId: string): Promise<AgentState>;
  state(agentId: string): Promise<WorkflowState>;
}

/** @param options where people reach the web app; for tests and benches, task queue, history length and timeout in ms */
export function createAgentLauncher(
  client: Client,
  options: { appUrl?: string; taskQueue?: string; eventsPerHistory?: number; deadlineMs?: number } = {},
): AgentLauncher {
  const { appUrl, taskQueue = TASK_QUEUE, eventsPerHistory = EVENTS_PER_HISTORY } = options;
  const handle = (agentId: string) => client.workflow.getHandle(monitoringAgentWorkflowId(agentId));
  const { soon, state } = createWorkflowControl(client, options.deadlineMs);
  const start = ({ agentId, teamId }: AgentRef, title: string) => {
    const input: MonitoringAgentInput = { agentId, teamId, title, eventsPerHistory };
    return {
      taskQueue,
      workflowId: monitoringAgentWorkflowId(agentId),
      args: [input],
      staticSummary: title.slice(0, 200),
      ...(appUrl !== undefined && { staticDetails: casebookLink(`${appUrl}/monitoring/${agentId}`) }),
      typedSearchAttributes: new TypedSearchAttributes([
        { key: teamAttribute, value: teamId },
        { key: kindAttribute, value: 'monitoring-agent' },
      ]),
    };
  };
  return {
    async notify(agent, settings) {
      const signal = { signal: settingsSignal, signalArgs: [settings] as [AgentSettings] };
      await soon(() =>
        client.workflow.signalWithStart(MONITORING_AGENT_WORKFLOW, { ...start(agent, settings.title), ...signal }),
      );
    },
    async checkNow(agent, wanted) {
      const signal = { signal: checkNowSignal, signalArgs: [wanted] as [CheckNow] };
      await soon(() =>
        client.workflow.signalWithStart(MONITORING_AGENT_WORKFLOW, { ...start(agent, agent.title), ...signal }),
      );
    },
    async end(agentId) {
      try {
        await soon(() => handle(agentId).cancel());
      } catch (error) {
        if (!(error instanceof WorkflowNotFoundError)) throw error;
      }
    },
    query: (workflowId) => soon(() => client.workflow.getHandle(workflowId).query(agentQuery)),
    state: (agentId) => state(monitoringAgentWorkflowId(agentId)),
  };
}
