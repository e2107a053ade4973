import type { RoomCore } from '../../room.ts';
import type { InvestigationServiceDeps } from '../investigations/index.ts';
import { defineRunKind } from '../runs/index.ts';
import type { LoadTeamTools, Tool } from '../tools/index.ts';
import type { WorkspaceDrafts } from '../workspace/index.ts';
import { CHAT_TURN_WORKFLOW, chatTurnWorkflowId, type ChatTurnWorkflowInput } from './contract.ts';
import type { ChatTurn } from './entities.ts';
import { chatProfile } from './profile.ts';
import { finishTurn, type FinishDeps } from './run.ts';
import { titleOfQuestion } from './title.ts';
import { chatTools } from './tools.ts';

type Needs = RoomCore & {
  drafts: WorkspaceDrafts;
  teamTools: LoadTeamTools;
  investigations: InvestigationServiceDeps;
  monitoringTools: readonly Tool[];
};

export const chatRuns = defineRunKind({
  kind: 'chat',
  readScope: 'chats:read',
  workflowId: chatTurnWorkflowId,
  start(turn: ChatTurn, budget) {
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
    return { workflow: CHAT_TURN_WORKFLOW, input, summary: title, details: turn.question.slice(0, 4_000) };
  },
  profile({ runTools, drafts, teamTools, investigations, monitoringTools: monitoring }: Needs) {
    const tools = chatTools({ ...investigations, runTools, drafts, monitoring });
    return { tools: Object.values(tools).flat(), load: chatProfile(tools, teamTools) };
  },
  finish: (deps: FinishDeps, { id: turnId, chatId, teamId }, ending) =>
    finishTurn(deps, { turnId, chatId, teamId, ...ending }),
});
