import { finishTurn, nameChat, type FinishDeps } from '../src/features/chats/index.ts';
import type { ChatTurnRef, FinishChatTurnInput, FinishChatTurnResult } from '../src/features/chats/contract.ts';
import type { RunDeps } from '../src/features/runs/index.ts';
import { withHeartbeat } from './attempt.ts';
import { askingModel } from './runs.ts';

export interface ChatActivities {
  finishChatTurn(input: FinishChatTurnInput): Promise<FinishChatTurnResult>;
  nameChat(input: ChatTurnRef): Promise<{ title?: string }>;
}

/** Records a chat turn and names its chat; the loop before is shared by all runs. */
export function createChatActivities(deps: RunDeps & FinishDeps): ChatActivities {
  return {
    finishChatTurn: (input) => withHeartbeat((attempt) => finishTurn(deps, input, attempt)),
    nameChat: async (input) => ({ title: await askingModel((attempt) => nameChat(deps, input, attempt)) }),
  };
}
