/** Changes of checks there are: when they run, how gravely, at which limit. */
import type { Turn } from '../../decide.ts';
import type { Chat } from '../conversation/chat.ts';
import { bullets, cite, failureOf, listed, paragraphs, sentence } from '../conversation/wording.ts';
import { call } from '../investigation/gather.ts';
import type { CaseFile } from '../investigation/case-file.ts';
import { quote } from '../investigation/statements.ts';
import { currentPlan, type CurrentCheck } from './current-plan.ts';
import { joinedCondition, limited, limitFor, widerWindow } from './limit-changes.ts';
import { readFirst, updates, updating, type Can, type Play } from './play.ts';
import type { Passage } from './reading/passage.ts';
import { leftover } from './reading/leftovers.ts';
import { takePolicy, type Policy } from './reading/policies.ts';
import { hideQuotes, plain } from './reading/quotes.ts';
import { takeReporting } from './reading/reporting.ts';
import { periodOf, takeSchedule, type SaidSchedule } from './reading/schedules.ts';
import { takeNewLimit, type SaidLimit } from './reading/thresholds.ts';
import { takeUnable, unableLines } from './reading/unable.ts';
import { whereTo } from './watch-answer.ts';
import { selectChecks, servicesOf } from './selection.ts';
import { actions, scheduled, titled } from './words.ts';

interface Change {
  /** Where it is to report, as it was said. */
  reporting: string[];
  /** It says two different times for running, and which is whose cannot be told. */
  isTwofold: boolean;
  /** What it does not do, as it is told. */
  unable: string[];
  schedule: SaidSchedule;
  policy: Policy;
  limit: SaidLimit;
  /** Less sensitive, or more. */
  factor?: number;
  /** What names the checks. */
  rest: string;
}

interface Patch {
  check: CurrentCheck;
  patch: Record<string, unknown>;
  /** What is different, in words. */
  different: string[];
}

interface Outcome {
  patches: Patch[];
  problems: string[];
  /** Checks whose unit must be known first. */
  unread: CurrentCheck[];
}

const LESS =
  /\bless sensitive\b|\bfewer (?:false )?(?:alarms|alerts|findings)\b|\btoo sensitive\b|\b(?:too|so|very|pretty|quite) (?:noisy|chatty|spammy)\b|\btoo many (?:false )?(?:alarms|alerts|findings|notifications|messages|pages)\b/iu;
const MORE = /\bmore sensitive\b/iu;
export function changePlay(chat: Chat, can: Can): Play {
  return {
    plan: { query: chat.question.text, next: (file) => nextTurn(chat, file, can) },
    answer: (file) => answer(chat, file, can),
  };
}

function readChange(text: string): Change {
  const hidden = hideQuotes(plain(text), () => true);
  const passage: Passage = { text: hidden.text };
  const unable = unableLines(takeUnable(passage), (one) => quote(one, 160));
  const reporting = takeReporting(passage);
  const schedule = takeSchedule(passage);
  const isTwofold = schedule.when !== undefined && takeSchedule({ text: passage.text }).when !== undefined;
  const policy = takePolicy(passage);
  const limit = takeNewLimit(passage);
  const factor = LESS.test(passage.text) ? 1.5 : MORE.test(passage.text) ? 0.75 : undefined;
  return {
    reporting,
    unable,
    isTwofold,
    schedule,
    policy,
    limit,
    ...(factor !== undefined && { factor }),
    rest: passage.text,
  };
}

function nextTurn(chat: Chat, file: CaseFile, can: Can): Turn | undefined {
  const first = readFirst(file, can);
  if (first) return first;
  const { patches, unread } = outcomeOf(chat, file, can);
  if (unread.length > 0)
    return { text: 'I look up in which unit that is measured.', calls: unread.map((check) => reading(check)) };
  if (
    patches.length === 0 ||
    !can('update_monitoring_plan') ||
    updates(file).refused.length > 0 ||
    updates(file).accepted
  )
    return undefined;
  return updating(chat, patches.length === 1 ? 'I change the check.' : `I change ${patches.length} checks.`, {
    patch: { checks: patches.map(({ patch }) => patch) },
  });
}

function outcomeOf(chat: Chat, file: CaseFile, can: Can): Outcome {
  const change = readChange(chat.question.text);
  const checks = currentPlan(file)?.checks ?? [];
  const outcome: Outcome = { patches: [], problems: [], unread: [] };
  if (change.isTwofold) {
    outcome.problems.push('You name more than one time to run: tell me one by one, as “check the logs every hour”.');
    return outcome;
  }
  const { threshold, sustained, within } = change.limit;
  const isLimit = threshold !== undefined || sustained !== undefined || within !== undefined;
  const selected = selectChecks(change.rest, checks);
  const meant = isLimit && !selected.named ? limited(selected.checks, threshold?.unit) : selected.checks;
  const isAmbiguous = isLimit && threshold !== undefined && !selected.named && meant.length > 1;
  if (isAmbiguous) {
    outcome.problems.push(
      `Which limit do you mean? I have ${listed(
        meant.map(({ title }) => titled(title)),
        8,
      )}.`,
    );
  }
  // What else was said still goes for all.
  const rest = isAmbiguous ? { ...change, limit: {} } : change;
  for (const check of isAmbiguous ? selected.checks : meant) {
    const { patch, unread, problem } = patchFor(check, rest, file, can);
    if (unread) outcome.unread.push(check);
    if (problem !== undefined) outcome.problems.push(problem);
    if (patch) outcome.patches.push(patch);
  }
  if (meant.length === 0)
    outcome.problems.push(
      selected.named ? 'None of my checks is what you name.' : 'None of my checks has such a limit.',
    );
  return outcome;
}

function patchFor(
  check: CurrentCheck,
  change: Change,
  file: CaseFile,
  can: Can,
): { patch?: Patch; unread?: true; problem?: string } {
  const { schedule, policy, limit, factor } = change;
  const different: string[] = [];
  const patch: Record<string, unknown> = { id: check.id };
  const { when, time_zone, quiet_hours } = schedule;
  if (when || time_zone !== undefined || quiet_hours) {
    const changed = { ...when, ...(time_zone !== undefined && { time_zone }), ...(quiet_hours && { quiet_hours }) };
    patch['schedule'] = changed;
    const before = { ...check.schedule };
    if (when) {
      delete before.cron;
      delete before.every_seconds;
    }
    different.push(`runs ${scheduled({ ...before, ...changed })}`);
  }
  if (policy.severity) different.push(`is ${policy.severity}`);
  if (policy.on_finding) different.push(`on a finding ${actions(policy.on_finding)}`);
  if (policy.confirmations !== undefined) different.push(`needs ${policy.confirmations} runs in a row to be a finding`);
  if (policy.cool_down_seconds !== undefined) different.push(`has a cool-down of ${policy.cool_down_seconds} seconds`);
  if (policy.dedup_key !== undefined) different.push('reports all that it sees at once as one finding');
  if (policy.judge) different.push('has findings judged by a model first');
  Object.assign(patch, policy);
  const wider = when && widerWindow(check, periodOf(when));
  if (wider) {
    patch['check'] = wider.check;
    different.push(wider.different);
  }
  const limits = limitFor(check, limit, factor, { file, can });
  if (limits?.unread) return { unread: true };
  const { problem } = limits ?? {};
  if (problem === undefined && change.factor !== undefined && !limits)
    return {
      ...patchOf(),
      problem: `\`${check.id}\` compares with a fixed limit: say which it is to be, as “raise the threshold to 8 %”.`,
    };
  if (limits?.check) {
    const condition = joinedCondition(wider?.check, limits.check);
    patch['check'] = { ...wider?.check, ...limits.check, ...(condition && { condition }) };
    different.push(...limits.different);
    if (limits.title !== undefined) patch['title'] = limits.title;
  }
  return { ...patchOf(), ...(problem !== undefined && { problem }) };

  function patchOf() {
    return different.length > 0 ? { patch: { check, patch, different } } : {};
  }
}

function reading({ check }: CurrentCheck) {
  return call('query_metric', {
    source: check['source'],
    metric: check['metric'],
    service: check['service'],
    statistic: check['statistic'],
  });
}

function answer(chat: Chat, file: CaseFile, can: Can): string {
  const { accepted, refused } = updates(file);
  const { patches, problems } = outcomeOf(chat, file, can);
  const { schedule, reporting, unable, rest } = readChange(chat.question.text);
  const open = [...problems, ...unable, ...unreadIn(rest, currentPlan(file)?.checks ?? [])];
  const where = reporting.length > 0 ? whereTo(file, reporting) : '';
  if (accepted) {
    const lines = patches.map(
      ({ check, different }) =>
        `**${titled(check.title)}** (\`${check.id}\`): ${different.map((one) => one.replace(/\.$/, '')).join('; ')}.`,
    );
    return paragraphs(
      `Changed${cite(accepted)}:`,
      bullets(lines),
      schedule.notes.map(sentence).join(' '),
      open.length > 0 ? `What I did not take on:\n\n${bullets(open)}` : '',
      where,
    );
  }
  const [refusal] = refused;
  if (refusal) {
    const why =
      refusal.problems.length > 0
        ? refusal.problems.slice(0, 8).map(({ problem }) => `${quote(problem, 240)}${cite(refusal.call)}`)
        : [`${failureOf(refusal.call)}${cite(refusal.call)}`];
    return paragraphs('**Nothing is changed.** The plan would not be valid:', bullets(why));
  }
  const all = currentPlan(file);
  const checks =
    all && all.checks.length > 0
      ? `My checks are ${listed(
          all.checks.map(({ id, title }) => `${titled(title)} (\`${id}\`)`),
          10,
        )}${cite(all.call)}.`
      : 'I watch nothing yet.';
  const scope = can('update_monitoring_plan')
    ? ''
    : 'This chat may not change the plan: the key needs the scope monitoring:write.';
  return paragraphs(
    '**Nothing is changed.**',
    scope,
    open.length > 0 ? bullets(open) : 'I did not understand what is to be different.',
    where,
    checks,
  );
}

/** Parts of the message that name no check and say nothing that can be changed. */
function unreadIn(rest: string, checks: readonly CurrentCheck[]): string[] {
  const known = checks.flatMap((check) => [check.id, check.title, ...servicesOf(check)]);
  const named = { names: known, taken: [], unknown: [] };
  return leftover(rest, { subjects: [], named }, []).map((one) => `I did not understand ${quote(one.trim(), 160)}.`);
}
