import type { Client } from '@temporalio/client';
import { createRunLauncher, type RunBudget, type RunLauncher } from '../runs/index.ts';
import { CHAT_TURN_WORKFLOW, chatTurnWorkflowId, type ChatTurnWorkflowInput } from './contract.ts';
import type { ChatTurn } from './entities.ts';
import { titleOfQuestion } from './title.ts';

export type ChatTurnLauncher = RunLauncher<ChatTurn>;

/**
 * @param budget bounds of every turn that is started here
 * @param taskQueue another queue than the product's own, for tests and benches
 * @param deadlineMs how long Temporal is waited for, likewise
 */
export function createChatTurnLauncher(
  client: Client,
  budget: RunBudget,
  taskQueue?: string,
  deadlineMs?: number,
): ChatTurnLauncher {
  return createRunLauncher<ChatTurn>(client, {
    workflow: CHAT_TURN_WORKFLOW,
    workflowId: chatTurnWorkflowId,
    kind: 'chat',
    taskQueue,
    deadlineMs,
    describe(turn) {
      const title = titleOfQuestion(turn.question);
      const input: ChatTurnWorkflowInput = {
        turnId: turn.id,
        chatId: turn.chatId,
        teamId: turn.teamId,
        title,
        startAfter: turn.firstStep - 1,
        contextTokens: turn.contextTokens,
        wantsTitle: turn.wantsTitle,
        budget,
      };
      return { teamId: turn.teamId, input, summary: title, details: turn.question.slice(0, 4_000) };
    },
  });
}
