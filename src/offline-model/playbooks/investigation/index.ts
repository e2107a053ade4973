/**
 * The playbook of an investigation: list sources, choose, look at the alert and its neighbours, rank causes, examine the
 * suspects, hand in a report. Each turn is decided from the transcript alone.
 */
import type { PlanItem } from '../../../features/tools/tool.ts';
import type { Playbook, PlannedCall, Situation, Turn } from '../../decide.ts';
import { openCase, wasCalled, type CaseFile } from './case-file.ts';
import { examine } from './examine.ts';
import { namedByPeople } from './remarks.ts';
import { writeReport } from './report.ts';
import { chooseSources, needsServices, symptomOf, type SourceChoice, type Symptom } from './sources.ts';
import { chooseMetric, survey } from './survey.ts';

const SUBMIT = 'submit_report';
const MOST_SUBMISSIONS = 3;
const STAGES = [
  'List the telemetry sources and choose those that fit',
  'Look at the alerting metric and what its service depends on',
  'Rank possible causes',
  'Read metrics, logs and changes of the top suspects',
  'Write the report with citations',
] as const;

export const investigation: Playbook = {
  name: 'investigation',
  fits: ({ transcript, tools }) => transcript.query !== undefined && tools.has(SUBMIT),
  play(situation) {
    const file = openCase(situation.transcript);
    if (situation.forcedTool && situation.forcedTool !== SUBMIT) {
      return { text: '', calls: [{ name: situation.forcedTool, input: {} }] };
    }
    const submissions = file.transcript.calls.filter((call) => call.tool === SUBMIT);
    if (submissions.some((call) => !call.isError)) return { text: 'The report is handed in.', calls: [] };
    const last = submissions.at(-1);
    if (last) return submissions.length < MOST_SUBMISSIONS ? resubmit(file, last) : giveUp(last.body);
    if (situation.forcedTool) {
      return submit(file, 'Partial report, because the run had to conclude before every step was done:');
    }
    return acknowledge(situation, file, nextTurn(situation, file));
  },
};

function nextTurn({ tools }: Situation, file: CaseFile): Turn {
  const can = (name: string) => tools.has(name);
  if (can('list_sources') && !wasCalled(file, 'list_sources')) {
    return {
      text: 'I begin with a plan and the telemetry sources there are.',
      calls: [plan(0), call('list_sources', {})],
    };
  }
  const choice = chooseSources(file);
  if (!choice) return submit(file);
  if (choice.services && can('list_services') && needsServices(file, choice) && !wasCalled(file, 'list_services')) {
    const text = `I use source ${choice.primary.id}, because ${choice.why}. I list its services to find whose symptom this is.`;
    return { text, calls: [call('list_services', { source: choice.services.id })] };
  }
  const symptom = symptomOf(file, choice);
  if (!symptom) return submit(file, 'No service is known to begin from:');
  if (can('rank_root_causes') && !wasCalled(file, 'rank_root_causes')) {
    const first = survey(file, choice, symptom).filter(({ name }) => can(name));
    if (first.length > 0) return { text: surveyText(choice, symptom), calls: [plan(1), ...first] };
  }
  const ranking = can('rank_root_causes') ? nextRanking(file, choice, symptom) : undefined;
  if (ranking) return { text: 'Now I rank the possible causes over all services.', calls: [plan(2), ranking] };
  const { text, calls } = examine(file, choice, symptom);
  const possible = calls.filter(({ name }) => can(name));
  if (possible.length > 0) return { text, calls: [plan(3), ...possible] };
  return submit(file);
}

/** The ranking, and when it failed once more without what may have been wrong about the question. */
function nextRanking(file: CaseFile, { metrics }: SourceChoice, symptom: Symptom): PlannedCall | undefined {
  if (!metrics || file.ranking) return undefined;
  const { service, at } = symptom;
  const metric = symptom.metric ?? chooseMetric(file, symptom);
  const tried = file.failures.filter(({ tool }) => tool === 'rank_root_causes');
  if (tried.length === 0) return call('rank_root_causes', { source: metrics.id, service, metric, at });
  return tried.length === 1 && metric ? call('rank_root_causes', { source: metrics.id, service, at }) : undefined;
}

function surveyText(choice: SourceChoice, { service, metric, from }: Symptom): string {
  const others = [choice.logs, choice.changes, choice.dependencies]
    .filter((source) => source && source.id !== choice.primary.id)
    .map((source) => source?.id);
  const also = others.length > 0 ? ` together with ${[...new Set(others)].join(', ')}` : '';
  const whose = {
    alert: `the alert is on ${service}${metric ? ` (${metric})` : ''}`,
    query: `the query is about ${service}`,
    guess: `nothing names a service, so I begin with ${service}, which is a guess`,
  }[from];
  return `I use source ${choice.primary.id}${also}, because ${choice.why}; ${whose}. I look at its metric and at what it depends on.`;
}

function submit(file: CaseFile, partial?: string): Turn {
  return { text: 'I hand in the report.', calls: [plan(STAGES.length), reportCall(file, partial)] };
}

function reportCall(file: CaseFile, partial?: string): PlannedCall {
  const report = writeReport(file, { choice: chooseSources(file), partial, named: namedByPeople(file) });
  return call(SUBMIT, { ...report });
}

/** A report that was sent back goes again: what cannot be verified is left in only where the tool takes it so. */
function resubmit(file: CaseFile, last: CaseFile['failures'][number]): Turn {
  const again = reportCall(file);
  const takesUnverified = last.body.includes('accept_unverified');
  const input = takesUnverified
    ? { ...again.input, accept_unverified: true }
    : { ...again.input, hypotheses: [], timeline: [] };
  const text = takesUnverified
    ? 'Some claims could not be verified. I have no better evidence for them, so I hand the report in with them marked.'
    : 'The report was sent back. I hand in its essential part.';
  return { text, calls: [{ name: SUBMIT, input }] };
}

function giveUp(error: string): Turn {
  return {
    text: `The report was not accepted, and I know no other way to write it. The last answer was: ${error}`,
    calls: [],
  };
}

/** Says what is done about a remark that came in the meantime. */
function acknowledge({ transcript }: Situation, file: CaseFile, turn: Turn): Turn {
  const fresh = transcript.remarks.filter((remark) => remark.turn === transcript.turn);
  if (fresh.length === 0) return turn;
  const named = namedByPeople(file, fresh);
  if (named.length > 0) return { ...turn, text: `Noted: I look at ${named.join(', ')} as well. ${turn.text}` };
  const spoken = fresh.some(({ fromPerson }) => fromPerson);
  return spoken ? { ...turn, text: `I read your message, but it names no service that I know. ${turn.text}` } : turn;
}

function plan(current: number): PlannedCall {
  const items: PlanItem[] = STAGES.map((text, index) => ({
    text,
    status: index < current ? 'done' : index === current ? 'in_progress' : 'pending',
  }));
  return call('update_plan', { items });
}

/** Absent inputs are left out, so that calls compare and read well. */
function call(name: string, input: Record<string, unknown>): PlannedCall {
  return { name, input: Object.fromEntries(Object.entries(input).filter(([, value]) => value !== undefined)) };
}
