/** What earlier questions of the chat came to. */
import type { Call } from '../../transcript.ts';
import { openCase, type CaseFile } from '../investigation/case-file.ts';
import { conclude } from '../investigation/conclusion.ts';
import { askedOf, given } from './calls.ts';
import type { Chat } from './chat.ts';
import { readIntent } from './intent.ts';
import { rememberedCause, rememberedSource } from './remembered.ts';

/** The chat as it was at an earlier question, with everything that was read for it and since. */
export function chatAt(chat: Chat, index: number): Chat {
  const { question } = chat.earlier[index] ?? chat;
  const all = [...chat.earlierCalls, ...chat.calls];
  return {
    ...chat,
    question,
    earlier: chat.earlier.slice(0, index),
    earlierCalls: all.filter(({ turn }) => turn < question.turn),
    calls: all.filter(({ turn }) => turn >= question.turn),
  };
}

/** Index of the last earlier question whose answer was a search for a cause; -1 when there is none. */
export function lastCauseQuestion(chat: Chat): number {
  return chat.earlier.findLastIndex(({ question }, index) => {
    if (madeFor(chat, index).some(isRanking)) return true;
    // A cause that was asked for again is told from what was read the first time.
    const { kind } = readIntent(question.text, { answeredCause: true, aboutInvestigation: false });
    return (kind === 'problem' || kind === 'unclear') && usedFor(chat, index).some(isRanking);
  });
}

/** The source that the last question with an answer from one was about. */
export function previousSource(chat: Chat): string | undefined {
  for (const index of chat.earlier.keys().toArray().toReversed()) {
    const source = usedFor(chat, index)
      .flatMap((call) => (call.isError ? [] : (given(call, 'source') ?? [])))
      .at(-1);
    if (source !== undefined) return source;
  }
  return rememberedSource(chat);
}

/**
 * The service that `it` means: what the question before was about, which is the cause where one was looked for.
 * @param sources only of these, which are one system
 */
export function lastService(chat: Chat, sources: readonly string[]): string | undefined {
  for (const index of chat.earlier.keys().toArray().toReversed()) {
    const calls = askedOf(usedFor(chat, index), sources).filter(({ isError }) => !isError);
    if (calls.some(isRanking)) {
      const { cause } = conclude(caseOf(askedOf(chat.earlierCalls, sources)));
      if (cause) return cause.service;
    }
    const named = calls.flatMap((call) => given(call, 'service') ?? []).at(-1);
    if (named !== undefined) return named;
  }
  return sources.includes(rememberedSource(chat) ?? '') ? rememberedCause(chat) : undefined;
}

/** The case that all calls of one source make together. */
export function caseOf(calls: Call[]): CaseFile {
  return openCase({ turn: 0, remarks: [], calls });
}

/** The calls that a question was answered from: those made for it, else those that its answer cites. */
function usedFor(chat: Chat, index: number): Call[] {
  const made = madeFor(chat, index);
  if (made.length > 0) return made;
  const answer = chat.earlier[index]?.answer.replaceAll(/`[^`]*`/g, '') ?? '';
  const cited = new Set([...answer.matchAll(/\[(\d+)\]/g)].map(([, n]) => Number(n)));
  return chat.earlierCalls.filter(({ evidence }) => evidence !== undefined && cited.has(evidence));
}

function madeFor(chat: Chat, index: number): Call[] {
  const from = chat.earlier[index]?.question.turn ?? 0;
  const to = chat.earlier[index + 1]?.question.turn ?? chat.question.turn;
  return chat.earlierCalls.filter(({ turn }) => turn >= from && turn < to);
}

function isRanking({ tool, isError }: Call): boolean {
  return tool === 'rank_root_causes' && !isError;
}
