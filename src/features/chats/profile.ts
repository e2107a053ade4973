import { grants } from '../../http/authenticate.ts';
import { RunClosed, type LoadProfile } from '../runs/index.ts';
import { createToolRegistry, type Tool, type ToolRegistry } from '../tools/index.ts';
import type { ChatTurnPurpose } from './contract.ts';
import { ChatTurn } from './entities.ts';
import { systemPrompt } from './prompt.ts';

/** Most tokens of one answer. */
const MAX_TOKENS = 16_000;

/** All tools a turn of each purpose may have, if its caller may use them. */
export type ChatTools = Record<ChatTurnPurpose, readonly Tool[]>;

/** What a turn may call: a tool needs the scope it requires, and where it has side effects, that they are allowed. */
export function allowedTools(tools: readonly Tool[], turn: Pick<ChatTurn, 'scopes' | 'sideEffects'>): Tool[] {
  return tools.filter(
    ({ requires, sideEffect }) =>
      (requires === undefined || grants(turn.scopes, requires)) && (!sideEffect || turn.sideEffects),
  );
}

/** The profile of a chat's turn, from its row. */
export function chatProfile(tools: ChatTools): LoadProfile {
  // A registry costs a millisecond or two, and most turns have the same tools.
  const registries = new Map<string, ToolRegistry>();
  return async (em, { runId }) => {
    if (runId === undefined) throw new TypeError('A chat is run turn by turn.');
    const turn = await em.findOne(ChatTurn, { id: runId });
    // Its chat was deleted.
    if (!turn) throw new RunClosed();
    const allowed = allowedTools(tools[turn.purpose], turn);
    const key = `${turn.purpose} ${allowed.map(({ name }) => name).join(' ')}`;
    const registry = registries.get(key) ?? createToolRegistry(allowed);
    registries.set(key, registry);
    return {
      system: systemPrompt(turn.purpose, turn.systemPrompt),
      tools: registry,
      maxTokens: MAX_TOKENS,
      model: turn.model ?? undefined,
    };
  };
}
