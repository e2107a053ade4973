/** A chat at the moment its last question is to be answered. */
import type { Situation } from '../../decide.ts';
import type { Question } from '../../dialogue.ts';
import type { Call } from '../../transcript.ts';

export interface Chat {
  question: Question;
  /** When the question was asked, ISO time, where the chat says so. */
  now?: string;
  /** Questions before it, with what was answered. */
  earlier: { question: Question; answer: string }[];
  /** Calls made for earlier questions. */
  earlierCalls: Call[];
  /** Calls made for this question. */
  calls: Call[];
  /** Model turns spent on this question so far. */
  turnsSpent: number;
  /** What stands for the part of the chat that is no longer there. */
  summary: string;
  situation: Situation;
}

export function readChat(situation: Situation): Chat {
  const { transcript, dialogue } = situation;
  const questions = dialogue.questions;
  const question = questions.at(-1) ?? { text: '', context: '', turn: transcript.turn };
  const answerBetween = (from: number, to: number): string =>
    dialogue.spoken
      .filter(({ turn }) => turn >= from && turn < to)
      .map(({ text }) => text)
      .join('\n');
  return {
    question,
    now: timeOf(question),
    earlier: questions.slice(0, -1).map((one, index) => ({
      question: one,
      answer: answerBetween(one.turn, questions[index + 1]?.turn ?? transcript.turn),
    })),
    earlierCalls: transcript.calls.filter(({ turn }) => turn < question.turn),
    calls: transcript.calls.filter(({ turn }) => turn >= question.turn),
    turnsSpent: transcript.turn - question.turn,
    summary: dialogue.summary ?? '',
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
