/** A chat at the moment its last question is to be answered. */
import type { Situation } from '../../decide.ts';
import type { Question } from '../../dialogue.ts';
import type { Call } from '../../transcript.ts';

export interface Chat {
  question: Question;
  /** When the question was asked, ISO time, where the chat says so. */
  now?: string;
  /** Questions before it. */
  earlier: Question[];
  /** Calls made for earlier questions. */
  earlierCalls: Call[];
  /** Calls made for this question. */
  calls: Call[];
  /** Model turns spent on this question so far. */
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

/** @returns what the chat's context says: `It is now …` */
export function timeOf({ context }: Question): string | undefined {
  const found = /It is now (\S+?)\.?(?:\s|$)/.exec(context)?.[1];
  return found && !Number.isNaN(Date.parse(found)) ? found : undefined;
}

/** Whether a tool may be called, or could be if the answer were not due. */
export function has({ situation }: Chat, tool: string): boolean {
  return situation.offered.has(tool);
}
