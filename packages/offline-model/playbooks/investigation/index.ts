/**
 * The playbook of an investigation: list sources, look at the alert and its neighbours, rank causes, examine suspects,
 * submit a report.
 */
import type { PlanItem } from '../../../../src/features/tools/tool.ts';
import type { Playbook, PlannedCall, Situation, Turn } from '../../decide.ts';
import { call, callsOf } from '../calls.ts';
import { openCase, type CaseFile } from './case-file.ts';
import { Citations } from './citations.ts';
import { namedByPeople } from './conclusion.ts';
import { databaseReport } from './database-evidence.ts';
import { nextStep } from './gather.ts';
import { askBack, mismatchOf } from './not-here.ts';
import { writeReport } from './report.ts';
import { chooseSources } from './sources.ts';

const SUBMIT = 'submit_report';
const QUERY = /<query>([\s\S]*)<\/query>/;
const MAX_SUBMISSIONS = 3;
const STAGES = [
  'Choose telemetry sources',
  'Check the alerting metric and dependencies',
  'Rank possible causes',
  'Examine the top suspects',
  'Write the report',
] as const;

export const investigation: Playbook = {
  fits: ({ tools }) => tools.has(SUBMIT),
  play(situation) {
    const { opening, messages, calls } = situation.transcript;
    const { connected, systems, repositories } = situation;
    const query = QUERY.exec(opening)?.[1]?.trim() ?? opening;
    const file = openCase(calls, { query, messages, connected, systems, repositories });
    const submissions = callsOf(file, SUBMIT);
    if (submissions.some((call) => !call.isError)) return { text: 'Report submitted.', calls: [] };
    const last = submissions.at(-1);
    if (last && submissions.length < MAX_SUBMISSIONS) return resubmit(file, last);
    if (last) return { text: `The report was not accepted: ${last.body}`, calls: [] };
    if (situation.isConcluding) {
      return submit(file, 'Partial report: the run ended before every step was done.');
    }
    return acknowledge(situation, file, nextTurn(situation, file));
  },
};

function nextTurn({ tools }: Situation, file: CaseFile): Turn {
  const next = nextStep(file, (name) => tools.has(name));
  if (next.done) return submit(file, next.partial);
  return { text: next.text, calls: [...(next.stage === undefined ? [] : [plan(next.stage, file)]), ...next.calls] };
}

function submit(file: CaseFile, partial?: string): Turn {
  return { text: 'Submitting the report.', calls: [plan(STAGES.length, file), reportCall(file, partial)] };
}

function reportCall(file: CaseFile, partial?: string): PlannedCall {
  const choice = chooseSources(file);
  const mismatch = choice && partial === undefined ? mismatchOf(file, choice) : undefined;
  // A database shows the present, whatever time is asked about.
  const ofDatabase = mismatch === 'subject' ? databaseReport(file, new Citations()) : undefined;
  const report =
    choice && mismatch
      ? (ofDatabase ?? askBack(file, choice, mismatch))
      : writeReport(file, { choice, partial, named: namedByPeople(file) });
  return call(SUBMIT, { ...report });
}

/** Resubmits a rejected report, with unverified claims only if the tool accepts them. */
function resubmit(file: CaseFile, last: CaseFile['failures'][number]): Turn {
  const again = reportCall(file);
  const takesUnverified = last.body.includes('accept_unverified');
  const input = takesUnverified
    ? { ...again.input, accept_unverified: true }
    : { ...again.input, hypotheses: [], timeline: [] };
  const text = takesUnverified
    ? 'Some claims could not be verified; submitting the report with those marked.'
    : 'Report rejected; submitting its essential part.';
  return { text, calls: [{ name: SUBMIT, input }] };
}

/** Answers a message that came in the meantime. */
function acknowledge({ transcript }: Situation, file: CaseFile, turn: Turn): Turn {
  const fresh = transcript.messages.filter((message) => message.turn === transcript.turn);
  if (fresh.length === 0) return turn;
  const named = namedByPeople(file, fresh);
  if (named.length > 0) return { ...turn, text: `Noted: looking at ${named.join(', ')} as well. ${turn.text}` };
  return { ...turn, text: `Your message names no service I know. ${turn.text}` };
}

/** A stage that was never begun is skipped, not done. */
function plan(current: number, file: CaseFile): PlannedCall {
  const items: PlanItem[] = STAGES.map((text, index) => ({
    text,
    status:
      index < current ? (wasBegun(file, index) ? 'done' : 'skipped') : index === current ? 'in_progress' : 'pending',
  }));
  return call('update_plan', { items });
}

/** The tools whose calls begin a stage; writing the report needs none. */
const TOOLS_OF: readonly (readonly string[])[] = [
  ['list_sources'],
  ['query_metric', 'search_metrics', 'service_dependencies'],
  ['rank_root_causes'],
  ['search_logs', 'recent_changes'],
];

function wasBegun({ calls }: CaseFile, stage: number): boolean {
  const tools = TOOLS_OF[stage];
  return tools === undefined || calls.some(({ tool }) => tools.includes(tool));
}
