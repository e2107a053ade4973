import { forTeam } from '../../db/team-filter.ts';
import { askOnce, type Attempt, type RunDeps } from '../runs/index.ts';
import { untilReachable } from '../../db/reach.ts';
import type { ChatTurnRef } from './contract.ts';
import { Chat, ChatTurn } from './entities.ts';
import { TITLE_PROMPT, titleTask } from './prompt.ts';
import type { FinishDeps } from './run.ts';
import { cleanTitle } from './title.ts';

/** Room for a model that thinks before it answers. */
const TITLE_TOKENS = 1_000;

/**
 * Titles a chat after its question and answer, unless a person or an earlier turn has.
 * @returns the title, or undefined if the chat keeps its own
 */
export async function nameChat(
  deps: RunDeps & Pick<FinishDeps, 'titled'>,
  input: ChatTurnRef,
  attempt: Attempt,
): Promise<string | undefined> {
  const { teamId, chatId, turnId } = input;
  const em = forTeam(deps.orm.em, teamId);
  const chat = await untilReachable(() => em.findOne(Chat, { id: chatId }), attempt.signal);
  if (chat?.titledBy !== 'question') return undefined;
  const turn = await untilReachable(() => em.findOneOrFail(ChatTurn, { id: turnId }), attempt.signal);
  const { text: answer } = await askOnce(
    deps,
    {
      teamId,
      conversationId: chatId,
      purpose: 'title',
      key: turnId,
      ofConversation: true,
      request: { system: TITLE_PROMPT, maxTokens: TITLE_TOKENS, text: titleTask(turn.question, turn.text ?? '') },
    },
    attempt,
  );
  const title = cleanTitle(answer);
  if (title === undefined) return undefined;
  const rename = (): Promise<number> =>
    em.nativeUpdate(
      Chat,
      { id: chatId, titledBy: 'question' },
      { title, titledBy: 'model', updatedAt: deps.clock.now() },
    );
  const renamed = await untilReachable(rename, attempt.signal);
  if (renamed > 0 && chat.isMonitoring) await deps.titled?.(chat, title);
  return title;
}
