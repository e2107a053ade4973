import { grants } from '../../../http/authenticate.ts';
import type { RoomCore } from '../../../room.ts';
import { type InvestigationServiceDeps, investigationTools } from '../../investigations/index.ts';
import { ACT_SCOPE, allowedTools, defineRunKind, type LoadProfile, type Run } from '../../runs/index.ts';
import { type LoadTeamTools, type Tool, createRegistryCache } from '../../tools/index.ts';
import { type WorkspaceDrafts, workspaceTools } from '../../workspace/index.ts';
import { drawChart } from '../../charts/index.ts';
import {
  CHAT_TURN_WORKFLOW,
  chatTurnWorkflowId,
  type ChatTurnWorkflowInput,
  type ChatTurnPurpose,
} from '../contract.ts';
import { ChatTurn } from '../entities.ts';
import { titleOfQuestion } from '../title.ts';
import { finishTurn, type FinishDeps } from './run.ts';
import { systemPrompt, withoutSources } from './prompt.ts';

type Needs = RoomCore & {
  drafts: WorkspaceDrafts;
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
  profile({ runTools, drafts, teamTools, investigations, monitoringTools: monitoring, sources, clock, appUrl }: Needs) {
    const tools = chatTools({ ...investigations, runTools, drafts, monitoring });
    const closing = async ({ teamId, id }: Run): Promise<string | undefined> => {
      const catalog = await sources({ teamId, toolCallId: id, clock });
      return catalog.list().length > 0 ? undefined : withoutSources(appUrl);
    };
    return { tools: Object.values(tools).flat(), load: chatProfile(tools, teamTools, closing) };
  },
  finish: (deps: FinishDeps, { id: turnId, chatId, teamId }, ending) =>
    finishTurn(deps, { turnId, chatId, teamId, ...ending }),
});

/** Maximum tokens of one answer. */
const MAX_TOKENS = 16_000;

/** All tools that turns of each purpose may have, if the caller may use them. */
export type ChatTools = Record<ChatTurnPurpose, readonly Tool[]>;

/** Edits depend only on what the files contain, so these turns query nothing else. */
const NO_TEAM_TOOLS: Record<ChatTurnPurpose, boolean> = {
  answer: false,
  chart: false,
  edit: true,
  monitor: false,
};

/** The profile of a chat turn, from its row. */
export function chatProfile(
  tools: ChatTools,
  teamTools: LoadTeamTools = async () => ({ tools: [] }),
  closing: (run: Run) => Promise<string | undefined> = async () => undefined,
): LoadProfile {
  const registryOf = createRegistryCache();
  return async (run: Run) => {
    if (!(run instanceof ChatTurn.class)) throw new TypeError('A chat is run turn by turn.');
    const turn = run;
    const own = NO_TEAM_TOOLS[turn.purpose] ? undefined : await teamTools(turn.teamId);
    // Where the chat allows no side effects, a person who may have them can approve them one by one. A program would wait
    // for somebody to look.
    const isPerson = turn.createdByUserId !== null;
    const mayAsk = turn.purpose === 'answer' && isPerson && grants(turn.scopes, ACT_SCOPE);
    const allowed = allowedTools([...tools[turn.purpose], ...(own?.tools ?? [])], turn, mayAsk);
    // A team whose satellites offer other tools can look at something.
    const last = turn.purpose === 'answer' && own?.tools.length === 0 ? await closing(turn) : undefined;
    return {
      ...(last !== undefined && { closing: last }),
      system: systemPrompt(turn.purpose, turn.systemPrompt, own?.instructions),
      tools: registryOf(allowed),
      maxTokens: MAX_TOKENS,
      model: turn.model ?? undefined,
    };
  };
}

type ChatToolDeps = Parameters<typeof investigationTools>[0] & {
  drafts: WorkspaceDrafts;
  /** Tools of every run. */
  runTools: readonly Tool[];
  /** Tools that read and change what an agent watches; only its own chat has them. */
  monitoring: readonly Tool[];
};

/** Every tool turns may have; the caller's credential and the chat decide which. */
export function chatTools(deps: ChatToolDeps): ChatTools {
  const { reading, writing } = workspaceTools(deps.drafts);
  const editing = workspaceTools(seeingOneState(deps.drafts));
  const looking = [...deps.runTools, ...investigationTools(deps), drawChart, ...reading];
  return {
    answer: [...looking, ...writing],
    chart: [...deps.runTools, drawChart],
    edit: [...deps.runTools, ...editing.reading, ...editing.writing],
    monitor: [...looking, ...deps.monitoring],
  };
}

/** An edit applies to what was read: from its first look on, a turn sees one state of the files. */
function seeingOneState(drafts: WorkspaceDrafts): WorkspaceDrafts {
  return {
    ...drafts,
    async view(run, options) {
      await drafts.open(run, options);
      return drafts.view(run, options);
    },
  };
}
