/** What the agent watches, has found, and has done. */
import type { Turn } from '../../decide.ts';
import type { Call } from '../../transcript.ts';
import { isRecord, lastCall } from '../conversation/calls.ts';
import { bullets, cite, clock, day, failureOf, name, paragraphs } from '../conversation/wording.ts';
import { call } from '../investigation/gather.ts';
import type { CaseFile } from '../investigation/case-file.ts';
import { parsePartialJson } from '../investigation/partial-json.ts';
import { quote } from '../investigation/statements.ts';
import { currentPlan, rows, textOf, type CurrentCheck } from './current-plan.ts';
import { readFirst, type Can, type Play } from './play.ts';
import { actions, condition, scheduled, titled } from './words.ts';
import { whereTo } from './watch-answer.ts';

const FINDINGS = 'list_monitoring_findings';
const SESSIONS = 'list_monitoring_sessions';
const MOST_LISTED = 10;

export function planPlay(can: Can): Play {
  return {
    plan: { query: '', next: (file) => readFirst(file, can) },
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
      const standing =
        plan.reasons.length > 0
          ? `I am **degraded**${cited}: ${plan.reasons
              .slice(0, 5)
              .map((one) => quote(one, 200))
              .join('; ')}.`
          : '';
      const last =
        plan.lastResultAt === undefined
          ? 'No check has had a result yet'
          : `The last result came on ${day(plan.lastResultAt)} at ${clock(plan.lastResultAt)} UTC`;
      return paragraphs(
        plan.active ? `I watch this${cited}:` : `I am **paused** and watch nothing now. This is the plan${cited}:`,
        bullets(plan.checks.map((check) => `${checkLine(check)}${cited}.`)),
        standing,
        `${last}${cited}. ${whereTo(file)}`,
      );
    },
  };
}

function checkLine({ id, title, check, schedule, severity, on_finding: on, nextAt }: CurrentCheck): string {
  const next = nextAt === undefined ? '' : `; next at ${clock(nextAt)} UTC`;
  return `**${titled(title)}** (\`${id}\`), ${scheduled(schedule)}${severity === undefined ? '' : `, ${name(severity)}`}: a finding is ${condition(check)}; then ${actions(on)}${next}`;
}

export function findingsPlay(can: Can): Play {
  return {
    plan: { query: '', next: (file) => listing(file, can, FINDINGS, 'I look at what was found.') },
    answer(file) {
      const made = lastCall(file, FINDINGS);
      if (!made || made.isError) return unread(made, FINDINGS, 'findings');
      const found = rowsOf(made, 'findings');
      if (found.length === 0) return paragraphs(`I have found nothing so far${cite(made)}.`, quietFor(file));
      const open = found.filter((row) => ['open', 'pending'].includes(textOf(row, 'status') ?? ''));
      const head =
        open.length > 0
          ? `${open.length === 1 ? 'One finding is' : `${open.length} findings are`} there now`
          : 'Nothing is wrong now; these were found earlier';
      return paragraphs(
        `${head}${cite(made)}:`,
        bullets(
          [...open, ...found.filter((row) => !open.includes(row))]
            .slice(0, MOST_LISTED)
            .map((row) => `${findingLine(row)}${cite(made)}.`),
        ),
      );
    },
  };
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
    plan: { query: '', next: (file) => listing(file, can, SESSIONS, 'I look at the last runs.') },
    answer(file) {
      const made = lastCall(file, SESSIONS);
      if (!made || made.isError) return unread(made, SESSIONS, 'runs');
      const found = rowsOf(made, 'sessions');
      if (found.length === 0) return paragraphs(`No check has run yet${cite(made)}.`, quietFor(file));
      const lines = found.slice(0, MOST_LISTED).map((row) => {
        const at = textOf(row, 'started_at') ?? '';
        return `${day(at)} ${clock(at)} UTC, **${titled(textOf(row, 'title') ?? textOf(row, 'check_id') ?? 'check')}**: ${name(textOf(row, 'status') ?? 'unknown')}${textOf(row, 'summary') === undefined ? '' : `, ${quote(textOf(row, 'summary') ?? '', 200)}`}${cite(made)}.`;
      });
      return paragraphs('These are the last runs, newest first:', bullets(lines));
    },
  };
}

function listing(file: CaseFile, can: Can, tool: string, text: string): Turn | undefined {
  const first = readFirst(file, can, [call(tool, { limit: MOST_LISTED })]);
  return first && { ...first, text };
}

function unread(made: Call | undefined, tool: string, what: string): string {
  return made
    ? `The ${what} could not be read: ${failureOf(made)}${cite(made)}.`
    : `This chat is not offered the tool that lists ${what} (${tool}).`;
}

function quietFor(file: CaseFile): string {
  const plan = currentPlan(file);
  if (!plan) return '';
  if (plan.checks.length === 0) return `I watch nothing yet${cite(plan.call)}: tell me what.`;
  if (!plan.active) return `I am paused${cite(plan.call)}: say “resume” to have me watch.`;
  if (plan.reasons.length > 0)
    return `But I am **degraded**${cite(plan.call)}: ${plan.reasons
      .slice(0, 5)
      .map((one) => quote(one, 200))
      .join('; ')}.`;
  return plan.lastResultAt === undefined
    ? `No check has had a result yet${cite(plan.call)}.`
    : `The last result came on ${day(plan.lastResultAt)} at ${clock(plan.lastResultAt)} UTC${cite(plan.call)}.`;
}

function rowsOf({ body }: Call, key: string): Record<string, unknown>[] {
  const value: unknown = parsePartialJson(body);
  return isRecord(value) ? rows(value[key]) : [];
}
