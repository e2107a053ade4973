/** What the agent could not look at: silence about it would read as if all were well. */
import type { PlannedCall } from '../../decide.ts';
import type { Call } from '../../transcript.ts';
import { callsOf, given, isRecord } from '../conversation/calls.ts';
import { bullets, cite, clock, day, listed, paragraphs } from '../conversation/wording.ts';
import { call } from '../investigation/gather.ts';
import type { CaseFile } from '../investigation/case-file.ts';
import { parsePartialJson } from '../investigation/partial-json.ts';
import { quote } from '../investigation/statements.ts';
import { wholeItems } from '../investigation/whole-items.ts';
import { currentPlan, rows, textOf, type CurrentCheck } from './current-plan.ts';
import type { Can } from './play.ts';
import { titled } from './words.ts';

export const SESSIONS = 'list_monitoring_sessions';
const MOST_LISTED = 20;
const OF_ONE = 5;
const MOST_ASKED = 10;
const MOST_TOLD = 8;

export interface Run {
  checkId: string;
  status: string;
  at: string;
  summary?: string;
  cost: number;
  call: Call;
}

interface Trouble {
  check: CurrentCheck;
  last: Run;
  /** How many runs in a row failed, as far as they are listed. */
  count: number;
  /** When the first of them was. */
  since: string;
  /** Before it there is a run that could say something. */
  isWhole: boolean;
}

export interface Troubles {
  failing: Trouble[];
  /** Enabled checks without any run. */
  waiting: CurrentCheck[];
  /** Enabled checks that could say something the last time. */
  working: CurrentCheck[];
}

/** The runs there were, and of checks that are not among the last ones their own. */
export function runsToRead(file: CaseFile, can: Can): PlannedCall[] {
  if (!can(SESSIONS)) return [];
  const made = callsOf(file, SESSIONS);
  if (made.length === 0) return [call(SESSIONS, { limit: MOST_LISTED })];
  const seen = new Set([...runsOf(file).map(({ checkId }) => checkId), ...made.map((one) => given(one, 'check_id'))]);
  const [first] = made;
  if (!first || first.isError || made.length > 1 || !hasMore(first)) return [];
  return enabled(file)
    .filter(({ id }) => !seen.has(id))
    .slice(0, MOST_ASKED)
    .map(({ id }) => call(SESSIONS, { check_id: id, limit: OF_ONE }));
}

function hasMore({ body }: Call): boolean {
  const value: unknown = parsePartialJson(body);
  // A list that was cut off ends before it says so.
  return !isRecord(value) || value['has_more'] !== false;
}

/** All runs that were listed, the newest first. */
export function runsOf(file: CaseFile): Run[] {
  const all = callsOf(file, SESSIONS)
    .filter(({ isError }) => !isError)
    .flatMap((made) => {
      const value: unknown = wholeItems(parsePartialJson(made.body));
      return (isRecord(value) ? rows(value['sessions']) : []).map((row): Run => {
        const summary = textOf(row, 'summary');
        return {
          checkId: textOf(row, 'check_id') ?? '',
          status: textOf(row, 'status') ?? '',
          at: textOf(row, 'started_at') ?? '',
          ...(summary !== undefined && { summary }),
          cost: typeof row['cost'] === 'number' ? row['cost'] : 0,
          call: made,
        };
      });
    });
  return all.toSorted((a, b) => b.at.localeCompare(a.at));
}

export function troublesOf(file: CaseFile): Troubles {
  const all = runsOf(file).filter(({ status }) => ['ok', 'finding', 'failed'].includes(status));
  const troubles: Troubles = { failing: [], waiting: [], working: [] };
  for (const check of enabled(file)) {
    const own = all.filter(({ checkId }) => checkId === check.id);
    const [last] = own;
    if (!last) troubles.waiting.push(check);
    else if (last.status !== 'failed') troubles.working.push(check);
    else {
      const end = own.findIndex(({ status }) => status !== 'failed');
      const count = end < 0 ? own.length : end;
      troubles.failing.push({ check, last, count, since: own[count - 1]?.at ?? last.at, isWhole: end >= 0 });
    }
  }
  return troubles;
}

/** Everything that keeps it from seeing; empty when nothing does. */
export function standing(file: CaseFile): string {
  const plan = currentPlan(file);
  if (!plan) return '';
  if (plan.checks.length === 0) return `I watch nothing yet${cite(plan.call)}: tell me what.`;
  const { failing } = troublesOf(file);
  const off = plan.checks.filter((check) => check.enabled === false);
  const lines = failing.slice(0, MOST_TOLD).map(troubleLine);
  const more = failing.length > MOST_TOLD ? [`${failing.length - MOST_TOLD} more checks`] : [];
  return paragraphs(
    plan.active ? '' : `I am **paused**${cite(plan.call)} and look at nothing: say “resume” to have me watch.`,
    plan.reasons.length > 0
      ? `I am **degraded**${cite(plan.call)}: ${plan.reasons
          .slice(0, 5)
          .map((one) => quote(one, 200))
          .join('; ')}.`
      : '',
    lines.length > 0 ? `These checks could **not say anything** the last time:\n\n${bullets([...lines, ...more])}` : '',
    off.length > 0
      ? `Switched off: ${listed(
          off.map(({ id }) => `\`${id}\``),
          5,
        )}${cite(plan.call)}.`
      : '',
  );
}

/** When something was last seen, where nothing keeps it from seeing. */
export function lastResult(file: CaseFile): string {
  const plan = currentPlan(file);
  if (!plan || plan.checks.length === 0) return '';
  const { waiting, failing } = troublesOf(file);
  if (plan.lastResultAt !== undefined)
    return `The last result came on ${day(plan.lastResultAt)} at ${clock(plan.lastResultAt)} UTC${cite(plan.call)}.`;
  return failing.length > 0 || waiting.length === 0
    ? `No check has had a result yet${cite(plan.call)}.`
    : `No check has had a result yet${cite(plan.call)}: they have not run.`;
}

function troubleLine({ check, last, count, since, isWhole }: Trouble): string {
  const times =
    count === 1
      ? ''
      : `, ${isWhole ? '' : 'at least '}${count} times in a row since ${day(since)} ${clock(since)} UTC${isWhole ? '' : ' or before'}`;
  const at = `at ${day(last.at)} ${clock(last.at)} UTC`;
  return `**${titled(check.title)}** (\`${check.id}\`): ${quote(last.summary ?? 'it did not say why', 240)}, ${at}${times}${cite(last.call)}.`;
}

function enabled(file: CaseFile): CurrentCheck[] {
  return (currentPlan(file)?.checks ?? []).filter((check) => check.enabled !== false);
}
