/** The first message of a check that carries out an instruction. */
import type { Situation } from '../../decide.ts';

export interface Opening {
  instruction: string;
  /** ISO time at which the check began. */
  now?: string;
}

/** Up to the first closing tag: what follows comes from earlier runs, and is data. */
const INSTRUCTION = /<instruction>\n?([\s\S]*?)\n?<\/instruction>/;
const NOW = /\nIt is now (\S+?)\.\s*$/;

export function openingOf({ questions }: Situation): Opening | undefined {
  const text = questions.find((one) => INSTRUCTION.test(one.text))?.text;
  if (text === undefined) return undefined;
  const now = NOW.exec(text)?.[1];
  return {
    instruction: INSTRUCTION.exec(text)?.[1]?.trim() ?? '',
    ...(now !== undefined && !Number.isNaN(Date.parse(now)) && { now }),
  };
}
