import { forTeam } from '../../db/team-filter.ts';
import { untilReachable } from '../../db/reach.ts';
import { askOnce, type Attempt, type RunDeps } from '../runs/index.ts';
import type { ChatTurnRef } from './contract.ts';
import { Chat, ChatTurn } from './entities.ts';
import { TITLE_PROMPT, titleTask } from './turns/prompt.ts';
import type { FinishDeps } from './turns/run.ts';

const LONGEST_TITLE = 80;

/** A chat's provisional title: one line of the first question. */
export function titleOfQuestion(question: string): string {
  return shortened(question.replaceAll(/\s+/g, ' ').trim());
}

/**
 * Cleans up a model's title: one line without quotes, Markdown or a full stop, at most 80 characters.
 * @returns undefined if nothing usable is left
 */
export function cleanTitle(answer: string): string | undefined {
  for (const line of answer.split('\n')) {
    const title = cleanLine(line);
    if (title !== '') return shortened(title);
  }
  return undefined;
}

/** Control characters, including bidirectional ones. */
const UNSEEN = /[\p{Cc}\u202a-\u202e\u2066-\u2069]+/gu;
/** Emphasis markers; those inside a name belong to it. */
const OUTER_UNDERSCORES = /(?<![\p{L}\p{N}])_+|_+(?![\p{L}\p{N}])/gu;

function cleanLine(line: string): string {
  return line
    .replaceAll(UNSEEN, ' ')
    .replaceAll(/\s+/g, ' ')
    .replaceAll(/[*`]+/g, '')
    .replaceAll(OUTER_UNDERSCORES, '')
    .trim()
    .replace(/^#+\s*/, '')
    .replace(/^title:\s*/i, '')
    .replace(/^["'“„«]+/, '')
    .replace(/["'”“»]+\.?$/, '')
    .replace(/\.$/, '')
    .trim();
}

/** The first sentence, if it says enough to be a title: after a question mark, or before another end. */
const FIRST_SENTENCE = /^.{20,79}?(?:\?(?=\s)|(?=[.!;]\s))/u;
/** The last word, which may be cut; not a text without any. */
const LAST_WORD = /(?<=.{40})\s+\S*$/u;

function shortened(line: string): string {
  if (line.length <= LONGEST_TITLE) return line;
  const [sentence] = FIRST_SENTENCE.exec(line) ?? [];
  if (sentence !== undefined) return sentence;
  // Do not split a surrogate pair.
  const kept = line.slice(0, LONGEST_TITLE - 1).replace(/[\ud800-\udbff]$/, '');
  return `${kept.replace(LAST_WORD, '').trimEnd()}…`;
}

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
