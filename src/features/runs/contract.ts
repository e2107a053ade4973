/**
 * What every kind of run (investigation, chat turn, monitor check …) shares between the API, its workflow and its
 * activities: ids and small plain JSON only. Imported by workflow code, so nothing but types and definitions here.
 */
import { defineQuery, defineSignal } from '@temporalio/workflow';

/** What ended a run before the model handed in its result by itself. */
export type RunLimit = 'steps' | 'cost' | 'wall_time' | 'repeated_calls' | 'no_report' | 'refusal' | 'model_failure';

/** Bounds of one run. Durations are inputs, so that tests choose them. */
export interface RunBudget {
  maxSteps: number;
  maxCostUsd: number;
  maxWallSeconds: number;
  /** Time-out of one tool call unless the tool has its own. */
  toolTimeoutSeconds: number;
  /** Continue as new after this many steps in one history; absent means when the server suggests it. */
  stepsPerHistory?: number;
  /** The transcript is compacted before a step once it has this many tokens; absent means never. */
  compactAtTokens?: number;
}

/** `processing` and `awaiting_approval` until it has ended. */
export type RunStatus = 'processing' | 'awaiting_approval' | 'completed' | 'failed' | 'cancelled';

export const OPEN: RunStatus[] = ['processing', 'awaiting_approval'];
export const isOpen = (status: RunStatus): status is 'processing' | 'awaiting_approval' =>
  status === 'processing' || status === 'awaiting_approval';

/** As the API shows it, where a run that waits for an approval is under way. */
export type ShownStatus = Exclude<RunStatus, 'awaiting_approval'>;
export const shownStatus = (status: RunStatus): ShownStatus => (status === 'awaiting_approval' ? 'processing' : status);

/** The kind of run decides its prompt and its tools; see `profiles.ts`. */
export type RunKind = 'investigation' | 'chat' | 'check';

export interface RunIdentity {
  kind: RunKind;
  conversationId: string;
  teamId: string;
  /** Where a conversation has several runs, as a chat has turns, this one; absent where the conversation is the run. */
  runId?: string;
}

/** `work` offers all tools; `conclude` asks for the final result and for nothing else. */
export type TurnMode = 'work' | 'conclude';

export interface ModelTurnInput extends RunIdentity {
  step: number;
  mode: TurnMode;
  /** Something the loop tells the model before this turn. */
  note?: string;
}

/** A call the model asked for, as the history carries it. */
export interface ToolCallRef {
  toolCallId: string;
  evidence: number;
  name: string;
  /** One line for the operator. */
  summary: string;
  /** Equal for calls of the same tool with the same input. */
  fingerprint: string;
  /** The tool's own time-out, where it has one. */
  timeoutSeconds?: number;
}

export interface ModelTurnResult {
  step: number;
  stopReason: string;
  costUsd: number;
  toolCalls: ToolCallRef[];
  /** The model said something in words. */
  spoke?: boolean;
  /** How long the transcript is now, in tokens of the model. */
  contextTokens?: number;
}

/** Replaces everything before a step by a summary, for the model only: the transcript stays as it is. */
export interface CompactInput extends RunIdentity {
  /** The next step. */
  beforeStep: number;
  /** Messages from this step on are kept word for word: they are what the run is to answer. */
  fromStep: number;
}

export interface CompactResult {
  contextTokens: number;
  /** Of the summary. */
  costUsd: number;
}

export interface ToolCallInput extends RunIdentity {
  toolCallId: string;
  timeoutSeconds: number;
  /** Set when the model repeats itself: the call is answered with a pointer to the earlier result instead of being made. */
  repeats?: number;
}

export interface ToolCallResult {
  digest: string;
  isError: boolean;
  /** The run's result was handed in and accepted. */
  finished: boolean;
  plan?: { done: number; total: number };
}

export type RunPhase = 'starting' | 'thinking' | 'using_tools' | 'concluding' | 'recording' | 'finished';

/** Answer of the status query: small, and the same for every kind of run. */
export interface RunProgress {
  phase: RunPhase;
  step: number;
  toolCalls: number;
  costUsd: number;
  limit?: RunLimit;
}

/** Why the loop ended. `limit` is set when it ended without the model being done. */
export interface RunOutcome {
  limit?: RunLimit;
  cancelled: boolean;
  /** In words, for people, where there is something to explain. */
  explanation?: string;
}

/** What continue-as-new hands to the next run of the same workflow. */
export interface CarriedRun {
  step: number;
  costUsd: number;
  toolCalls: number;
  startedAt: number;
  idleTurns: number;
  fingerprints: [string, { count: number; evidence: number }][];
  known: string[];
  plan?: { done: number; total: number };
  pendingMessages: number;
  /** A result was handed in and accepted; a message that came with it may still be answered by a better one. */
  handedIn: boolean;
  cancel?: { reason?: string };
  /** Tokens of the transcript as far as known. */
  contextTokens?: number;
  /** Compacting again waits until the transcript has more tokens than this. */
  compactAbove?: number;
  /** Steps of the conversation's earlier runs. */
  startAfter?: number;
}

/** Stops the run; in-flight tools are told to stop. */
export const cancelRunSignal = defineSignal<[{ reason?: string }]>('cancel');
/** A person's message is stored and wants to be read by the next turn. */
export const userMessageSignal = defineSignal<[{ messageId: string }]>('user_message');
export const runProgressQuery = defineQuery<RunProgress>('progress');
