/**
 * Shared by the API, workflows and activities of every kind of run: ids and small plain JSON only. Workflow code
 * imports it, so it holds nothing but types and definitions.
 */
import { defineQuery, defineSignal } from '@temporalio/workflow';

/** What ended a run before the model submitted its result. */
export type RunLimit = 'steps' | 'cost' | 'wall_time' | 'repeated_calls' | 'no_report' | 'refusal' | 'model_failure';

/** Bounds of one run. Durations are inputs, so that tests choose them. */
export interface RunBudget {
  maxSteps: number;
  maxCostUsd: number;
  maxWallSeconds: number;
  /** Timeout of a tool call, unless the tool has its own. */
  toolTimeoutSeconds: number;
  /** How long a tool call waits for a person's approval. */
  approvalSeconds: number;
  /** Continue as new after this many steps in one history; absent: when the server suggests it. */
  stepsPerHistory?: number;
  /** Compact the transcript once it has this many tokens; absent: never. */
  compactAtTokens?: number;
}

/** Leads operators from Temporal to a page of Casebook. Markdown. */
export const casebookLink = (url: string): string => `[Open in Casebook](${url})`;

/** `processing` and `awaiting_approval` until it has ended. */
export type RunStatus = 'processing' | 'awaiting_approval' | 'completed' | 'failed' | 'cancelled';

export const OPEN: RunStatus[] = ['processing', 'awaiting_approval'];
export const isOpen = (status: RunStatus): status is 'processing' | 'awaiting_approval' =>
  status === 'processing' || status === 'awaiting_approval';

/** As the API shows it: a run waiting for approval is `processing`. */
export type ShownStatus = Exclude<RunStatus, 'awaiting_approval'>;
export const shownStatus = (status: RunStatus): ShownStatus => (status === 'awaiting_approval' ? 'processing' : status);

/** The kind of run decides its prompt and its tools; see `profiles.ts`. */
export type RunKind = 'investigation' | 'chat' | 'check';

export interface RunIdentity {
  kind: RunKind;
  conversationId: string;
  teamId: string;
  /** This run, if the conversation has several, as a chat has turns; absent if the conversation is the run. */
  runId?: string;
}

/** `work` offers all tools; `conclude` asks for the final result only. */
export type TurnMode = 'work' | 'conclude';

export interface ModelTurnInput extends RunIdentity {
  step: number;
  mode: TurnMode;
  /** A note from the loop to the model before this turn. */
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
  /** The tool's own timeout, if it has one. */
  timeoutSeconds?: number;
  /** A person must approve the call before it is made. */
  needsApproval?: true;
}

export interface ModelTurnResult {
  step: number;
  stopReason: string;
  costUsd: number;
  toolCalls: ToolCallRef[];
  /** The answer contains text. */
  spoke?: boolean;
  /** Current length of the transcript in tokens. */
  contextTokens?: number;
}

/** Replaces everything before a step by a summary, for the model only; the transcript stays. */
export interface CompactInput extends RunIdentity {
  /** The next step. */
  beforeStep: number;
  /** Messages from this step on stay verbatim: they are what the run has to answer. */
  fromStep: number;
}

export interface CompactResult {
  contextTokens: number;
  /** Cost of the summary. */
  costUsd: number;
}

export interface ApprovalRequest extends RunIdentity {
  toolCallId: string;
  expiresInSeconds: number;
}

export interface RequestedApproval {
  /** Absent if the call turned out to need none. */
  approvalId?: string;
  /** How long to wait for the decision; 0 once there is one. */
  waitMs: number;
}

export interface ToolCallInput extends RunIdentity {
  toolCallId: string;
  timeoutSeconds: number;
  /** Set if the model repeats itself: the call is answered with a pointer to the earlier result. */
  repeats?: number;
}

export interface ToolCallResult {
  digest: string;
  isError: boolean;
  /** The run's result was submitted and accepted. */
  finished: boolean;
  plan?: { done: number; total: number };
}

export type RunPhase =
  | 'starting'
  | 'thinking'
  | 'using_tools'
  | 'awaiting_approval'
  | 'concluding'
  | 'recording'
  | 'finished';

/** The answer to the status query: small, and the same for every kind of run. */
export interface RunProgress {
  phase: RunPhase;
  step: number;
  toolCalls: number;
  costUsd: number;
  limit?: RunLimit;
  /** What a tool call waits for, such as `satellite shop`, while it does. */
  waitingFor?: string;
}

/** Why the loop ended. `limit` is set if the model was not done. */
export interface RunOutcome {
  limit?: RunLimit;
  cancelled: boolean;
  /** For people, if there is something to explain. */
  explanation?: string;
}

/** The state that continue-as-new passes on. */
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
  /** A result was accepted; a message that arrived with it may still lead to a better one. */
  handedIn: boolean;
  cancel?: { reason?: string };
  /** Tokens of the transcript, as far as known. */
  contextTokens?: number;
  /** The next compaction waits until the transcript exceeds this many tokens. */
  compactAbove?: number;
  /** Steps of the conversation's earlier runs. */
  startAfter?: number;
}

/** Cancels the run and its in-flight tools. */
/** A tool call waits for something, or goes on if `what` is absent. */
export const callWaitsSignal = defineSignal<[{ toolCallId: string; what?: string }]>('call_waits');
export const cancelRunSignal = defineSignal<[{ reason?: string }]>('cancel');
/** A person's message was stored for the next turn to read. */
export const userMessageSignal = defineSignal<[{ messageId: string }]>('user_message');
/** A person decided on a tool call; the decision is in the row. */
export const approvalDecidedSignal = defineSignal<[{ approvalId: string }]>('approval_decided');
export const runProgressQuery = defineQuery<RunProgress>('progress');
