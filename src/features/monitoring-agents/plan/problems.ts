import { scheduleProblems } from '../schedule/index.ts';
import { MAX_PLAN_BYTES, type Check, type Plan, type SubjectOf } from './schema.ts';

/** Something that keeps a plan from being carried out. */
export interface Problem {
  /** Its path within the plan. */
  path: (string | number)[];
  /** What would be correct. */
  message: string;
}

/** Everything that a plan's schema cannot express. @returns nothing for a valid plan */
export function planProblems(plan: Plan): Problem[] {
  return [
    ...sizeProblems(plan),
    ...duplicateIds(plan.checks),
    ...rateProblems(plan.checks),
    ...plan.checks.flatMap((check, index) => under(['checks', index], checkProblems(check))),
  ];
}

/** Runs of all checks together; each creates a session that is kept. */
const MAX_RUNS_A_MINUTE = 120;
/** A model carries out every run. */
const SHORTEST_INSTRUCTION_SECONDS = 60;

function rateProblems(checks: readonly Check[]): Problem[] {
  const often = checks.flatMap(({ enabled, schedule }) => (enabled ? (schedule.every_seconds ?? []) : []));
  const rate = often.reduce((total, seconds) => total + 60 / seconds, 0);
  if (rate <= MAX_RUNS_A_MINUTE) return [];
  const message = `Checks should run at most ${MAX_RUNS_A_MINUTE} times a minute together; these would ${Math.round(rate)} times`;
  return [{ path: ['checks'], message }];
}

/** {@link planProblems} of one check; paths begin in the check. */
export function checkProblems(check: Check): Problem[] {
  const { every_seconds: seconds = Infinity } = check.schedule;
  const message = `An instruction should run at most every ${SHORTEST_INSTRUCTION_SECONDS} seconds, because a model carries it out`;
  const isTooOften = check.check.type === 'instruction' && seconds < SHORTEST_INSTRUCTION_SECONDS;
  return [
    ...(isTooOften ? [{ path: ['schedule', 'every_seconds'], message }] : []),
    ...under(['schedule'], scheduleProblems(check.schedule)),
    ...under(['check'], subjectProblems(check.check)),
    ...dedupKeyProblems(check.dedup_key),
  ];
}

/** @param plan any JSON value */
export function sizeProblems(plan: unknown): Problem[] {
  const bytes = Buffer.byteLength(JSON.stringify(plan) ?? '');
  if (bytes <= MAX_PLAN_BYTES) return [];
  return [{ path: [], message: `Plan should have at most ${MAX_PLAN_BYTES} bytes as JSON; it has ${bytes}` }];
}

/** @param checks may include invalid ones */
export function duplicateIds(checks: readonly unknown[]): Problem[] {
  const first = new Map<string, number>();
  return checks.flatMap((check, index) => {
    const id: unknown = typeof check === 'object' && check !== null && 'id' in check ? check.id : undefined;
    if (typeof id !== 'string') return [];
    const earlier = first.get(id);
    if (earlier === undefined) {
      first.set(id, index);
      return [];
    }
    const message = `Ids of checks should be unique: check ${earlier} (counted from 0) already has this one`;
    return [{ path: ['checks', index, 'id'], message }];
  });
}

function subjectProblems(subject: Check['check']): Problem[] {
  switch (subject.type) {
    case 'metric':
      return metricProblems(subject);
    case 'log_pattern': {
      const { condition, window_seconds: window } = subject;
      if (condition.type !== 'new_pattern') return [];
      return historyProblems(['condition', 'history_seconds'], condition.history_seconds, window, 1);
    }
    case 'service_health':
      return historyProblems(['history_seconds'], subject.history_seconds, subject.window_seconds, 1);
    case 'dependency': {
      const { condition, caller, callee } = subject;
      if (condition.type !== 'missing' || caller !== undefined || callee !== undefined) return [];
      return [{ path: [], message: 'A check for a missing call should name the caller, the callee or both' }];
    }
    case 'mcp_tool':
      return valueProblems(subject);
    default:
      return [];
  }
}

function metricProblems(subject: SubjectOf<'metric'>): Problem[] {
  const { metric, promql, condition, window_seconds: window } = subject;
  const problems: Problem[] = [];
  if ((metric === undefined) === (promql === undefined)) {
    const has = metric === undefined ? 'neither' : 'both';
    problems.push({ path: [], message: `Metric check should have exactly one of metric and promql; it has ${has}` });
  }
  if (promql !== undefined) {
    for (const member of ['service', 'statistic', 'labels'] as const) {
      if (subject[member] === undefined) continue;
      problems.push({
        path: [member],
        message: `${member} should be left out with promql: the expression itself says it`,
      });
    }
  }
  if (condition.type === 'baseline') {
    problems.push(...historyProblems(['condition', 'history_seconds'], condition.history_seconds, window, 2));
  }
  return problems;
}

function historyProblems(path: string[], history: number, window: number, times: 1 | 2): Problem[] {
  if (history >= window * times) return [];
  const least = times === 1 ? 'as long as window_seconds' : `${times} times window_seconds`;
  return [{ path, message: `History should be at least ${least}: at least ${window * times} seconds here` }];
}

function valueProblems({ condition }: SubjectOf<'mcp_tool'>): Problem[] {
  if (condition.type !== 'value') return [];
  const problems: Problem[] = [];
  if (!/^(\/([^~/]|~[01])*)*$/.test(condition.pointer)) {
    const message =
      'Value should be a JSON pointer (RFC 6901): empty or beginning with "/", with "~" written as "~0" and "/" in a name as "~1"';
    problems.push({ path: ['condition', 'pointer'], message });
  }
  if (!['==', '!='].includes(condition.operator) && typeof condition.value !== 'number') {
    const message = 'Operator should be == or != for a value that is not a number';
    problems.push({ path: ['condition', 'operator'], message });
  }
  return problems;
}

/** Reserved for findings about the agent itself and external alerts. */
const RESERVED_KEY = /^(agent|alert)\//;

function dedupKeyProblems(key: string): Problem[] {
  if (RESERVED_KEY.test(key)) {
    return [
      {
        path: ['dedup_key'],
        message: 'The key should not begin with "agent/" or "alert/": other findings have such keys',
      },
    ];
  }
  const unknown = (key.match(/\{[^{}]*\}?/g) ?? []).filter((part) => part !== '{check}' && part !== '{subject}');
  if (unknown.length === 0) return [];
  const message = `Placeholders should be {check} or {subject}: there is nothing to fill in for ${unknown.join(' ')}`;
  return [{ path: ['dedup_key'], message }];
}

const under = (path: Problem['path'], problems: readonly Problem[]): Problem[] =>
  problems.map((problem) => ({ ...problem, path: [...path, ...problem.path] }));
