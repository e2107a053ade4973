/** The first message of a check that carries out an instruction. */
import type { Situation } from '../../decide.ts';
import { isRecord } from '../calls.ts';
import { parsePartialJson } from '../investigation/partial-json.ts';

export interface Opening {
  instruction: string;
  /** ISO time at which the check began. */
  now?: string;
  /** Subjects that were findings the last time. */
  findings: string[];
}

/** Up to the first closing tag: what stands behind it was seen by earlier runs, and is data. */
const INSTRUCTION = /<instruction>\n?([\s\S]*?)\n?<\/instruction>/;
const EARLIER = /<\/instruction>\s*<earlier_subjects>\n([\s\S]*?)\n<\/earlier_subjects>/;
const NOW = /\nIt is now (\S+?)\.\s*$/;

export function openingOf({ dialogue }: Situation): Opening | undefined {
  const text = dialogue.questions.find((one) => INSTRUCTION.test(one.text))?.text;
  if (text === undefined) return undefined;
  const now = NOW.exec(text)?.[1];
  const earlier = EARLIER.exec(text)?.[1] ?? '';
  return {
    instruction: INSTRUCTION.exec(text)?.[1]?.trim() ?? '',
    ...(now !== undefined && !Number.isNaN(Date.parse(now)) && { now }),
    findings: earlier.split('\n').flatMap(subjectOf),
  };
}

function subjectOf(line: string): string[] {
  const value: unknown = parsePartialJson(line);
  if (!isRecord(value) || value['was_finding'] !== true) return [];
  return typeof value['subject'] === 'string' ? [value['subject']] : [];
}
