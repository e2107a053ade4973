/** A chat with a question to answer. */
import type { Situation, Turn } from '../../decide.ts';
import type { Call, Message } from '../../transcript.ts';

export interface Chat {
  question: Message;
  earlier: Message[];
  earlierCalls: Call[];
  /** Those for this question. */
  calls: Call[];
  turnsSpent: number;
  /** Where to look for what a live source shows, unless the question is about now. */
  period?: { from?: string; to?: string };
  situation: Situation;
}

/** How a question is answered: calls until there is no next one, then words. */
export interface Play {
  next?(): Turn | undefined;
  /** @param cutShort there are calls left that may not be made */
  answer(cutShort: boolean): string;
}

export function readChat(situation: Situation): Chat {
  const { turn: now, messages, calls } = situation.transcript;
  const question = messages.at(-1) ?? { text: '', context: '', turn: now };
  return {
    question,
    earlier: messages.slice(0, -1),
    earlierCalls: calls.filter(({ turn }) => turn < question.turn),
    calls: calls.filter(({ turn }) => turn >= question.turn),
    turnsSpent: now - question.turn,
    situation,
  };
}

/** Whether a tool exists. The same calls are planned when none may be made any more. */
export function has({ situation }: Chat, tool: string): boolean {
  return situation.offered.has(tool);
}
