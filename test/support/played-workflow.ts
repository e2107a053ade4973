/**
 * The workflow of an investigation or of a chat's turn by itself: a real Temporal server and a real worker, with activities that a test makes by
 * hand. For what the activities of the product do only when something goes wrong at the right moment.
 */
import { randomUUID } from 'node:crypto';
import { Context } from '@temporalio/activity';
import { WorkflowFailedError, type WorkflowHandle } from '@temporalio/client';
import type { temporal } from '@temporalio/proto';
import type { ChatActivities } from '../../activities/chats.ts';
import type { CitationActivities } from '../../activities/citations.ts';
import type { InvestigationActivities } from '../../activities/investigations.ts';
import type { RunActivities } from '../../activities/runs.ts';
import {
  CHAT_TURN_WORKFLOW,
  type ChatTurnWorkflowInput,
  type FinishChatTurnInput,
} from '../../src/features/chats/contract.ts';
import type { FinishInvestigationInput } from '../../src/features/investigations/contract.ts';
import type { ModelTurnInput, ModelTurnResult, RunBudget, ToolCallRef } from '../../src/features/runs/contract.ts';
import { waitUntil } from './wait-until.ts';
import { createTemporalClient } from '../../temporal/connection.ts';
import { createWorker } from '../../temporal/worker.ts';
import { workflowBundle } from './own-programs.ts';
import { temporalAddress } from './temporal.ts';

export type HistoryEvent = temporal.api.history.v1.IHistoryEvent;

const ample: RunBudget = {
  maxSteps: 10,
  maxCostUsd: 5,
  maxWallSeconds: 600,
  toolTimeoutSeconds: 10,
  approvalSeconds: 60,
};

/** What the workflows that are played need done. */
type PlayedActivities = RunActivities & InvestigationActivities & ChatActivities & CitationActivities;

export interface Play {
  /** Those that are not given are never to be called. */
  activities: Partial<PlayedActivities>;
  /** Given: a turn of a chat is played, not an investigation. */
  chat?: Partial<ChatTurnWorkflowInput>;
  budget?: Partial<RunBudget>;
  /** What happens while it runs. */
  meanwhile?: (run: PlayedRun) => Promise<void>;
}

export interface PlayedRun {
  handle: WorkflowHandle;
  /** Every attempt to record the end, in order. */
  recorded: FinishInvestigationInput[];
  /** The same of a chat's turn. */
  recordedTurns: FinishChatTurnInput[];
  history(): Promise<HistoryEvent[]>;
  /** Waits until the history is as wanted. */
  untilHistory(what: string, wanted: (events: HistoryEvent[]) => boolean): Promise<void>;
}

export interface PlayedWorkflow {
  /** Plays one run to its end. */
  play(play: Play): Promise<PlayedRun>;
  stop(): Promise<void>;
}

/** Starts one worker for any number of plays. */
export async function startPlayedWorkflow(bundle: Promise<string> = workflowBundle()): Promise<PlayedWorkflow> {
  const target = { address: await temporalAddress(), namespace: 'default' };
  const taskQueue = `played-${randomUUID()}`;
  const casts = new Map<string, PlayedActivities>();
  const castOf = (id: string): PlayedActivities => casts.get(id)!;
  const activities: PlayedActivities = {
    beginInvestigation: (input) => castOf(input.investigationId).beginInvestigation(input),
    finishInvestigation: (input) => castOf(input.investigationId).finishInvestigation(input),
    modelTurn: (input) => castOf(input.conversationId).modelTurn(input),
    requestApproval: (input) => castOf(input.conversationId).requestApproval(input),
    callTool: (input) => castOf(input.conversationId).callTool(input),
    compact: (input) => castOf(input.conversationId).compact(input),
    finishChatTurn: (input) => castOf(input.chatId).finishChatTurn(input),
    nameChat: (input) => castOf(input.chatId).nameChat(input),
    chooseExcerpts: (input) => castOf(input.extractionId).chooseExcerpts(input),
  };
  const { worker, run } = await createWorker({
    ...target,
    taskQueue,
    workflowBundle: await bundle,
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- no other workflow is played
    activities,
    worker: { shutdownGraceTime: '100ms', shutdownForceTime: '5s' },
  });
  const running = run();
  const client = createTemporalClient(target);

  return {
    async play({ activities, chat, budget: limits, meanwhile }) {
      const id = randomUUID();
      const recorded: FinishInvestigationInput[] = [];
      const recordedTurns: FinishChatTurnInput[] = [];
      const { finishInvestigation = async ({ outcome }) => ({ status: outcome, title: 'played' }) } = activities;
      const { finishChatTurn = async ({ outcome }) => ({ status: outcome, digest: 'played' }) } = activities;
      casts.set(id, {
        beginInvestigation: async () => ({ title: 'played', cancelled: false }),
        modelTurn: () => Promise.reject(new Error('no model turn was expected')),
        requestApproval: () => Promise.reject(new Error('no approval was expected')),
        callTool: () => Promise.reject(new Error('no tool call was expected')),
        compact: () => Promise.reject(new Error('no summary was expected')),
        nameChat: () => Promise.reject(new Error('no name was expected')),
        chooseExcerpts: () => Promise.reject(new Error('no citation was expected')),
        ...activities,
        async finishInvestigation(input) {
          recorded.push(input);
          return finishInvestigation(input);
        },
        async finishChatTurn(input) {
          recordedTurns.push(input);
          return finishChatTurn(input);
        },
      });
      const shared = { teamId: randomUUID(), budget: { ...ample, ...limits } };
      const turn = { turnId: id, chatId: id, title: 'played', startAfter: 0, contextTokens: 0, wantsTitle: false };
      const handle = await client.workflow.start(chat ? CHAT_TURN_WORKFLOW : 'investigation', {
        taskQueue,
        workflowId: `played-${id}`,
        args: [chat ? { ...turn, ...shared, ...chat } : { investigationId: id, ...shared }],
      });
      const history = async (): Promise<HistoryEvent[]> => (await handle.fetchHistory()).events ?? [];
      const played: PlayedRun = {
        handle,
        recorded,
        recordedTurns,
        history,
        untilHistory: async (what, wanted) => {
          await waitUntil(async () => wanted(await history()) || undefined, { what });
        },
      };
      await meanwhile?.(played);
      await handle.result().catch((error: unknown) => {
        if (!(error instanceof WorkflowFailedError)) throw error;
      });
      return played;
    },
    async stop() {
      worker.shutdown();
      await running;
      await client.connection.close();
    },
  };
}

/** What Temporal sees of a killed or frozen worker: an activity that was started, and silence. */
export const silence = (): Promise<never> => Context.current().cancelled;

/** A model turn that answers in words. */
export const words = ({ step }: ModelTurnInput): ModelTurnResult => ({
  step,
  stopReason: 'end_turn',
  costUsd: 0,
  toolCalls: [],
  spoke: true,
});

/** A model turn that asks for calls, by their names, or for none. */
export function answer({ step }: ModelTurnInput, ...names: string[]): ModelTurnResult {
  const toolCalls = names.map((name, index): ToolCallRef => {
    const toolCallId = `${name}-${step}`;
    return { toolCallId, evidence: step * 10 + index, name, summary: name, fingerprint: toolCallId };
  });
  return { step, stopReason: names.length > 0 ? 'tool_use' : 'end_turn', costUsd: 0, toolCalls };
}
