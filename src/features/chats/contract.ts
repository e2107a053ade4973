/** What the API, the workflow and the activities of a chat's turn share. No zod, no database: workflows import this. */
import type { CarriedRun, RunBudget, RunLimit, ShownStatus } from '../runs/contract.ts';

export type ChatTurnStatus = ShownStatus;

/** What a turn is for: an answer in words, a chart, a change of files, or what a monitoring agent watches. */
export type ChatTurnPurpose = 'answer' | 'chart' | 'edit' | 'monitor';

/** The workflow type, as exported from `workflows/index.ts`. */
export const CHAT_TURN_WORKFLOW = 'chatTurn';

/** The workflow id derives from the row's id: a repeated start is harmless. */
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
  /** About how many tokens the transcript has before the first step. */
  contextTokens: number;
  /** The chat has no title of its own yet. */
  wantsTitle: boolean;
  budget: RunBudget;
  /** Present after continue-as-new. */
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
