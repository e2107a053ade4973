import { allowedTools, type LoadProfile, type Run } from '../runs/index.ts';
import { createRegistryCache, type LoadTeamTools, type Tool } from '../tools/index.ts';
import type { ChatTurnPurpose } from './contract.ts';
import { ChatTurn } from './entities.ts';
import { systemPrompt } from './prompt.ts';

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
export function chatProfile(tools: ChatTools, teamTools: LoadTeamTools = async () => ({ tools: [] })): LoadProfile {
  const registryOf = createRegistryCache();
  return async (run: Run) => {
    if (!(run instanceof ChatTurn.class)) throw new TypeError('A chat is run turn by turn.');
    const turn = run;
    const own = NO_TEAM_TOOLS[turn.purpose] ? undefined : await teamTools(turn.teamId);
    const allowed = allowedTools([...tools[turn.purpose], ...(own?.tools ?? [])], turn);
    return {
      system: systemPrompt(turn.purpose, turn.systemPrompt, own?.instructions),
      tools: registryOf(allowed),
      maxTokens: MAX_TOKENS,
      model: turn.model ?? undefined,
    };
  };
}
