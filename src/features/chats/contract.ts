/**
 * Shared by the API, the workflow and the activities of a chat turn. Workflows import it, so no zod and no database.
 */
import type { CarriedRun, RunBudget, RunLimit, ShownStatus } from '../runs/contract.ts';

type ChatTurnStatus = ShownStatus;

/** The purpose of a turn: an answer in words, a chart, a file edit, or what a monitoring agent watches. */
export type ChatTurnPurpose = 'answer' | 'chart' | 'edit' | 'monitor';

/** The workflow type, as exported from `workflows/index.ts`. */
export const CHAT_TURN_WORKFLOW = 'chatTurn';

/** Derived from the row's id, so a repeated start is harmless. */
export const chatTurnWorkflowId = (turnId: string): string => `chat-turn-${turnId}`;

export interface ChatTurnRef {
  turnId: string;
  chatId: string;
  teamId: string;
}

export interface ChatTurnWorkflowInput extends ChatTurnRef {
  /** The question in one line, for the operator. */
  title: string;
  /** The last step of the chat's earlier turns. */
  startAfter: number;
  /** Approximate tokens in the transcript before the first step. */
  contextTokens: number;
  /** The chat has no title yet. */
  wantsTitle: boolean;
  budget: RunBudget;
  /** Set after continue-as-new. */
  carried?: CarriedRun;
}

export interface ChatTurnWorkflowResult {
  status: ChatTurnStatus;
}

export interface FinishChatTurnInput extends ChatTurnRef {
  outcome: 'completed' | 'failed' | 'cancelled';
  limit?: RunLimit;
  explanation?: string;
}

export interface FinishChatTurnResult {
  status: ChatTurnStatus;
  /** One line for the operator. */
  digest: string;
}
