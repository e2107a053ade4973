/** A chat with a question to answer. */
import type { Situation } from '../../decide.ts';
import type { Question } from '../../dialogue.ts';
import type { Call } from '../../transcript.ts';

export interface Chat {
  question: Question;
  /** ISO time of the question, if known. */
  now?: string;
  earlier: Question[];
  earlierCalls: Call[];
  calls: Call[];
  turnsSpent: number;
  situation: Situation;
}

export function readChat(situation: Situation): Chat {
  const { transcript, questions } = situation;
  const question = questions.at(-1) ?? { text: '', context: '', turn: transcript.turn };
  return {
    question,
    now: timeOf(question),
    earlier: questions.slice(0, -1),
    earlierCalls: transcript.calls.filter(({ turn }) => turn < question.turn),
    calls: transcript.calls.filter(({ turn }) => turn >= question.turn),
    turnsSpent: transcript.turn - question.turn,
    situation,
  };
}

export function timeOf({ context }: Question): string | undefined {
  const found = /It is now (\S+?)\.?(?:\s|$)/.exec(context)?.[1];
  return found && !Number.isNaN(Date.parse(found)) ? found : undefined;
}

export function has({ situation }: Chat, tool: string): boolean {
  return situation.offered.has(tool);
}
