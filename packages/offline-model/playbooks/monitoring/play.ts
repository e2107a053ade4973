/** What every answer of a monitoring chat is made of: a plan of calls, and words from what they returned. */
import type { PlannedCall, Turn } from '../../decide.ts';
import type { Call } from '../../transcript.ts';
import { callsOf, isRecord } from '../conversation/calls.ts';
import type { Chat } from '../conversation/chat.ts';
import type { Plan } from '../conversation/replay.ts';
import { call } from '../investigation/gather.ts';
import type { CaseFile } from '../investigation/case-file.ts';
import { parsePartialJson } from '../investigation/partial-json.ts';
import { clip } from '../investigation/statements.ts';
import { rows, textOf } from './current-plan.ts';

export type Can = (tool: string) => boolean;

export interface Play {
  plan: Plan;
  answer: (file: CaseFile) => string;
}

export const UPDATE = 'update_monitoring_plan';
const READ = 'read_monitoring_plan';
const MOST_UPDATES = 2;
const REASON_CHARACTERS = 300;

/** Reads the plan first, together with whatever else is to be read. */
export function readFirst(file: CaseFile, can: Can, more: PlannedCall[] = []): Turn | undefined {
  const calls = [...(can(READ) ? [call(READ, {})] : []), ...more.filter(({ name }) => can(name))];
  const isMade = calls.every(({ name }) => callsOf(file, name).length > 0);
  return isMade ? undefined : { text: 'I look at the plan as it is.', calls };
}

/** The change of a plan, with the person's words as its reason. */
export function updating(
  chat: Chat,
  text: string,
  change: { patch?: Record<string, unknown>; plan?: Record<string, unknown>; active?: boolean },
): Turn {
  const said = clip(chat.question.text.replaceAll('\0', ' ').toWellFormed(), REASON_CHARACTERS);
  return {
    text,
    calls: [call(UPDATE, { ...change, reason: said === '' ? 'The person asked for it.' : `The person said: ${said}` })],
  };
}

export interface Refusal {
  /** Place in the patch, and what is wrong there. */
  problems: { at: string; problem: string }[];
  call: Call;
}

/** How the changes went that were made for this question. */
export function updates(file: CaseFile): { accepted?: Call; refused: Refusal[]; mayTryAgain: boolean } {
  const made = callsOf(file, UPDATE);
  const refused = made
    .filter(({ isError }) => isError)
    .map((one): Refusal => {
      const value: unknown = parsePartialJson(one.body);
      const problems = isRecord(value) ? rows(value['problems']) : [];
      return {
        call: one,
        problems: problems.map((row) => ({
          at: textOf(row, 'at') ?? '',
          problem: textOf(row, 'problem') ?? textOf(row, 'message') ?? '',
        })),
      };
    });
  const accepted = made.findLast(({ isError }) => !isError);
  return {
    ...(accepted && { accepted }),
    refused,
    mayTryAgain: !accepted && made.length > 0 && made.length < MOST_UPDATES,
  };
}

/** The places of a patch's checks that were refused. */
export function refusedPlaces({ problems }: Refusal): number[] {
  const places = problems.map(({ at }) => Number(/^(?:patch\.)?checks\.(\d+)/.exec(at)?.[1] ?? Number.NaN));
  return [...new Set(places.filter((place) => !Number.isNaN(place)))];
}

/** Where findings are reported: the tools say it with the plan. */
export function reporting(file: CaseFile): string | undefined {
  const last = [...callsOf(file, UPDATE), ...callsOf(file, READ)].find(({ isError }) => !isError);
  const value: unknown = last && parsePartialJson(last.body);
  return isRecord(value) ? textOf(value, 'reports_to') : undefined;
}
