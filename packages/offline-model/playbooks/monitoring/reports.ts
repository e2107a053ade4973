/** What the agent watches, has found, and has done. */
import type { PlannedCall, Turn } from '../../decide.ts';
import type { Call } from '../../transcript.ts';
import { isRecord, lastCall } from '../conversation/calls.ts';
import { bullets, cite, clock, day, failureOf, name, paragraphs } from '../conversation/wording.ts';
import { call } from '../investigation/gather.ts';
import type { CaseFile } from '../investigation/case-file.ts';
import { parsePartialJson } from '../investigation/partial-json.ts';
import { quote } from '../investigation/statements.ts';
import { currentPlan, rows, textOf, type CurrentCheck } from './current-plan.ts';
import { readFirst, type Can, type Play } from './play.ts';
import { lastResult, runsOf, runsToRead, SESSIONS, standing, troublesOf } from './standing.ts';
import { actions, condition, scheduled, titled } from './words.ts';
import { whereTo } from './watch-answer.ts';

export const FINDINGS = 'list_monitoring_findings';
const MOST_LISTED = 10;
/** A run's status as people say it. */
const WORDS: Record<string, string> = {
  ok: 'nothing found',
  finding: 'a finding',
  failed: '**could not say**',
  running: 'running',
};

export function planPlay(can: Can): Play {
  return {
    plan: {
      query: '',
      next: (file) => withRuns(file, can, [], 'I look at the plan as it is, and at how the last runs went.'),
    },
    answer(file) {
      const plan = currentPlan(file);
      if (!plan) {
        const failed = lastCall(file, 'read_monitoring_plan');
        return failed
          ? `I could not read the plan: ${failureOf(failed)}${cite(failed)}.`
          : 'This chat is not offered the tool that reads the plan (read_monitoring_plan).';
      }
      const cited = cite(plan.call);
      if (plan.checks.length === 0)
        return paragraphs(
          `I watch nothing yet${cited}.`,
          'Tell me what to watch, for example “Watch all services every minute”.',
        );
      return paragraphs(
        plan.active ? `I watch this${cited}:` : `This is the plan${cited}:`,
        bullets(plan.checks.map((check) => `${checkLine(check)}${cited}.`)),
        standing(file),
        `${lastResult(file)} ${whereTo(file)}`,
      );
    },
  };
}

function checkLine({ id, title, check, schedule, severity, on_finding: on, nextAt, enabled }: CurrentCheck): string {
  const next = enabled === false ? '; **switched off**' : nextAt === undefined ? '' : `; next at ${clock(nextAt)} UTC`;
  return `**${titled(title)}** (\`${id}\`), ${scheduled(schedule)}${severity === undefined ? '' : `, ${name(severity)}`}: a finding is ${condition(check)}; then ${actions(on)}${next}`;
}

export function findingsPlay(can: Can): Play {
  return {
    plan: {
      query: '',
      next: (file) =>
        withRuns(
          file,
          can,
          [call(FINDINGS, { limit: MOST_LISTED })],
          'I look at what was found, and at how the last runs went.',
        ),
    },
    answer(file) {
      const made = lastCall(file, FINDINGS);
      const troubles = standing(file);
      if (!made || made.isError) return paragraphs(unread(made, FINDINGS, 'findings'), troubles);
      const found = rowsOf(made, 'findings');
      if (found.length === 0) return paragraphs(nothingFound(file, made), troubles, lastResult(file));
      const open = found.filter(isOpen);
      const head =
        open.length > 0
          ? `${open.length === 1 ? 'One finding is' : `${open.length} findings are`} there now`
          : 'No finding is open now; these were found earlier';
      return paragraphs(`${head}${cite(made)}:`, bullets(findingLines(file)), troubles, lastResult(file));
    },
  };
}

/** How the agent itself does: whether it can see what it watches. */
export function standingPlay(can: Can): Play {
  return {
    plan: { query: '', next: (file) => withRuns(file, can, [], 'I look at how the last runs went.') },
    answer(file) {
      const plan = currentPlan(file);
      if (!plan) return unread(lastCall(file, 'read_monitoring_plan'), 'read_monitoring_plan', 'plan');
      const { failing, working, waiting } = troublesOf(file);
      const troubles = standing(file);
      const well = `All ${working.length} checks that have run could look at what they watch${cite(working.length > 0 ? lastCall(file, SESSIONS) : undefined)}.`;
      return paragraphs(
        troubles,
        failing.length === 0 && working.length > 0 ? well : '',
        waiting.length > 0
          ? `Not run yet: ${waiting
              .slice(0, MOST_LISTED)
              .map(({ id }) => `\`${id}\``)
              .join(', ')}.`
          : '',
        lastResult(file),
      );
    },
  };
}

/** Nothing found by checks that could not look is no good news. */
function nothingFound(file: CaseFile, made: Call): string {
  const { failing, working, waiting } = troublesOf(file);
  if (failing.length > 0 && working.length === 0)
    return `**I cannot say:** I have found nothing${cite(made)}, but ${
      waiting.length > 0 ? 'no check that has run' : 'none of my checks'
    } could look.`;
  return `I have found nothing so far${cite(made)}${failing.length > 0 ? ', **but I could not look at everything**' : ''}.`;
}

/** What was found, what is open before what is over. */
export function findingLines(file: CaseFile): string[] {
  const made = lastCall(file, FINDINGS);
  if (!made || made.isError) return [];
  const found = rowsOf(made, 'findings');
  const open = found.filter(isOpen);
  return [...open, ...found.filter((row) => !open.includes(row))]
    .slice(0, MOST_LISTED)
    .map((row) => `${findingLine(row)}${cite(made)}.`);
}

function isOpen(row: Record<string, unknown>): boolean {
  return ['open', 'pending'].includes(textOf(row, 'status') ?? '');
}

function findingLine(row: Record<string, unknown>): string {
  const at = textOf(row, 'opened_at') ?? textOf(row, 'last_seen_at');
  const since = at === undefined ? '' : `, since ${day(at)} ${clock(at)} UTC`;
  const over = textOf(row, 'resolved_at');
  const until = over === undefined ? '' : `, over since ${clock(over)} UTC`;
  const investigation = textOf(row, 'investigation_id');
  const look = investigation === undefined ? '' : `; investigation ${name(investigation)}`;
  return `**${quote(textOf(row, 'title') ?? 'a finding', 160)}** (${name(textOf(row, 'severity') ?? 'warning')}, ${name(textOf(row, 'status') ?? 'seen')}${since}${until}): ${quote(textOf(row, 'summary') ?? '', 200)}${look}`;
}

export function sessionsPlay(can: Can): Play {
  return {
    plan: { query: '', next: (file) => withRuns(file, can, [], 'I look at the last runs.') },
    answer(file) {
      const made = lastCall(file, SESSIONS);
      if (!made || made.isError) return unread(made, SESSIONS, 'runs');
      const found = runsOf(file);
      const plan = currentPlan(file);
      if (found.length === 0) return paragraphs(`No check has run yet${cite(made)}.`, standing(file));
      const lines = found.slice(0, MOST_LISTED).map(({ at, checkId, status, summary, call: listed }) => {
        const title = plan?.checks.find(({ id }) => id === checkId)?.title ?? checkId;
        const said = summary === undefined ? '' : `, ${quote(summary, 200)}`;
        return `${day(at)} ${clock(at)} UTC, **${titled(title)}**: ${WORDS[status] ?? name(status)}${said}${cite(listed)}.`;
      });
      return paragraphs('These are the last runs, newest first:', bullets(lines), standing(file), lastResult(file));
    },
  };
}

/** The plan, what else is wanted, and the last runs, of every check at least some. */
function withRuns(file: CaseFile, can: Can, wanted: PlannedCall[], text: string): Turn | undefined {
  const first = readFirst(file, can, [...wanted, ...runsToRead(file, can)]);
  if (first) return { ...first, text };
  const more = runsToRead(file, can);
  return more.length > 0 ? { text: 'I look at the runs of the other checks.', calls: more } : undefined;
}

function unread(made: Call | undefined, tool: string, what: string): string {
  return made
    ? `The ${what} could not be read: ${failureOf(made)}${cite(made)}.`
    : `This chat is not offered the tool that lists ${what} (${tool}).`;
}

function rowsOf({ body }: Call, key: string): Record<string, unknown>[] {
  const value: unknown = parsePartialJson(body);
  return isRecord(value) ? rows(value[key]) : [];
}
