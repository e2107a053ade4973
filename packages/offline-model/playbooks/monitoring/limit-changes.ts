/** Changes of what a check calls a finding: its limit, its window, how sensitive it is. */
import { isRecord } from '../conversation/calls.ts';
import type { CaseFile } from '../investigation/case-file.ts';
import { quote } from '../investigation/statements.ts';
import { textOf, type CurrentCheck } from './current-plan.ts';
import { historyFor, windowFor } from './drafting/conditions.ts';
import { readingOf } from './drafting/telemetry.ts';
import type { Can } from './play.ts';
import type { SaidLimit, Threshold } from './reading/thresholds.ts';
import { inUnit, unitKind, unitOfMetric } from './reading/units.ts';
import { describeDuration } from './words.ts';

export interface LimitPatch {
  check?: Record<string, unknown>;
  title?: string;
  /** What is different, in words. */
  different: string[];
  /** The unit of its metric must be known first. */
  unread?: true;
  problem?: string;
}

const LIMIT_IN_TITLE = /\s+(?:at or above|at or below|above|below|equal to|other than)\s+-?[\d.]+(?:\s*\S+)?$/u;
const OPERATORS: Record<string, string> = {
  '>': 'above',
  '>=': 'at or above',
  '<': 'below',
  '<=': 'at or below',
  '==': 'equal to',
  '!=': 'other than',
};
const MOST_HISTORY = 14 * 86_400;
const DAY = 86_400;
const MOST_LINES = 1_000_000;
const USUAL_DEVIATIONS = { service_health: 6, other: 4 };

/** The checks to which a limit in a unit can apply; those that have one already before the others. */
export function limited(checks: readonly CurrentCheck[], unit: string | undefined): CurrentCheck[] {
  const kind = unitKind(unit);
  const fitting = checks.filter(({ check }) => {
    if (check.type === 'dependency') return kind === 'none' || kind === 'share' || kind === 'time';
    if (check.type === 'log_pattern') return kind === 'none';
    const of = unitKind(unitOfMetric(textOf(check, 'metric') ?? '', undefined));
    return check.type === 'metric' && (kind === 'none' || of === 'none' || of === kind);
  });
  const having = fitting.filter(({ check }) => conditionOf(check)['type'] !== 'baseline');
  return having.length > 0 ? having : fitting;
}

/** A longer interval needs a longer window, so that nothing between two runs is missed. */
export function widerWindow(
  { check }: CurrentCheck,
  period: number,
): { check: Record<string, unknown>; different: string } | undefined {
  const before = conditionOf(check);
  const window = typeof check['window_seconds'] === 'number' ? check['window_seconds'] : 300;
  const isLearned = before['type'] === 'baseline' || check.type === 'service_health';
  if (check.type !== 'log_pattern' && !isLearned) return undefined;
  const needed = check.type === 'log_pattern' ? Math.min(86_400, period) : windowFor(period);
  if (window >= needed) return undefined;
  const history = historyFor(needed, before['type'] === 'baseline' ? 14 * 86_400 : 86_400);
  const changed: Record<string, unknown> = { type: check.type, window_seconds: needed };
  if (before['type'] === 'baseline' || before['type'] === 'new_pattern')
    changed['condition'] = { history_seconds: history };
  if (check.type === 'service_health') changed['history_seconds'] = history;
  return {
    check: changed,
    different: `looks at ${describeDuration(needed)} at a time, so that nothing between two runs is missed`,
  };
}

/** @param factor by which it is to be less sensitive @returns undefined when nothing of it is to be different */
export function limitFor(
  current: CurrentCheck,
  limit: SaidLimit,
  factor: number | undefined,
  known: { file: CaseFile; can: Can },
): LimitPatch | undefined {
  const { check } = current;
  const window = windowPatch(current, limit);
  const sensitivity = factor === undefined ? undefined : sensitivityPatch(current, factor);
  const threshold = limit.threshold && thresholdPatch(current, limit.threshold, known);
  if (threshold?.unread || threshold?.problem !== undefined) return threshold;
  const all = [window, sensitivity, threshold].filter((one) => one !== undefined);
  if (all.length === 0) return undefined;
  const condition = joinedCondition(...all.map((one) => one.check));
  return {
    check: {
      type: check.type,
      ...Object.assign({}, ...all.map((one) => one.check)),
      ...(condition && { condition }),
    },
    different: all.flatMap(({ different }) => different),
    ...(threshold?.title !== undefined && { title: threshold.title }),
  };
}

/** The conditions of patches of one check: what was learned is kept beside another limit of the same kind only. */
export function joinedCondition(
  ...patches: (Record<string, unknown> | undefined)[]
): Record<string, unknown> | undefined {
  const conditions = patches.map((patch) => patch?.['condition']).filter(isRecord);
  const last = conditions.at(-1);
  const type = last?.['type'];
  return type === undefined || type === 'new_pattern' ? last && Object.assign({}, ...conditions) : last;
}

function windowPatch({ check }: CurrentCheck, { sustained, within }: SaidLimit): LimitPatch | undefined {
  const window = sustained ?? within;
  if (window === undefined || check.type === 'instruction' || check.type === 'mcp_tool') return undefined;
  const bounded = Math.min(DAY, Math.max(10, window));
  const { type } = conditionOf(check);
  const most = type === 'baseline' ? MOST_HISTORY : DAY;
  return {
    check: {
      window_seconds: bounded,
      ...((type === 'baseline' || type === 'new_pattern') && {
        condition: { history_seconds: historyFor(bounded, most) },
      }),
      ...(check.type === 'service_health' && { history_seconds: historyFor(bounded, DAY) }),
    },
    different: [`looks at ${describeDuration(bounded)} at a time`],
  };
}

function sensitivityPatch({ check }: CurrentCheck, factor: number): LimitPatch | undefined {
  const before = conditionOf(check);
  const isHealth = check.type === 'service_health';
  if (!isHealth && before['type'] !== 'baseline') return undefined;
  const stated = (isHealth ? check : before)['deviations'];
  const was = typeof stated === 'number' ? stated : USUAL_DEVIATIONS[isHealth ? 'service_health' : 'other'];
  const deviations = Math.min(100, Math.max(1, Number((was * factor).toPrecision(3))));
  return {
    check: isHealth ? { deviations } : { condition: { deviations } },
    different: [`calls it unusual from ${deviations} deviations on (it was ${was})`],
  };
}

function thresholdPatch(current: CurrentCheck, threshold: Threshold, known: { file: CaseFile; can: Can }): LimitPatch {
  switch (current.check.type) {
    case 'log_pattern': {
      const { operator, value } = threshold;
      const least = Math.min(MOST_LINES, Math.max(1, operator === '>' ? Math.floor(value) + 1 : Math.ceil(value)));
      const { type } = conditionOf(current.check);
      const condition = { type: typeof type === 'string' ? type : 'count', at_least: least };
      return { check: { condition }, different: [`needs at least ${least} lines`] };
    }
    case 'dependency':
      return callsPatch(threshold);
    case 'metric':
      return metricPatch(current, threshold, known);
    default:
      return { different: [], problem: `\`${current.id}\` has no limit that can be changed.` };
  }
}

function callsPatch({ value, unit }: Threshold): LimitPatch {
  const isTime = unitKind(unit) === 'time';
  const above = inUnit(value, unit, isTime ? 's' : 'ratio')?.value;
  if (above === undefined) {
    return { different: [], problem: `I cannot compare ${value} ${unit ?? ''} with calls between services.` };
  }
  const bounded = Math.min(isTime ? Infinity : 1, Math.max(0, above));
  const shown = isTime ? `${bounded} s` : `${Number((bounded * 100).toPrecision(6))} %`;
  return {
    check: { condition: { type: isTime ? 'p95_seconds' : 'error_ratio', above: bounded } },
    different: [`has its limit at ${shown}`],
  };
}

function metricPatch(
  { check, title, id }: CurrentCheck,
  threshold: Threshold,
  { file, can }: { file: CaseFile; can: Can },
): LimitPatch {
  const before = conditionOf(check);
  const metric = textOf(check, 'metric') ?? '';
  const service = textOf(check, 'service');
  const named = unitOfMetric(metric, undefined);
  const found =
    metric === ''
      ? null
      : readingOf(file, { source: textOf(check, 'source') ?? '', metric, ...(service !== undefined && { service }) });
  if (named === undefined && threshold.unit !== undefined && found === undefined && can('query_metric')) {
    return { different: [], unread: true };
  }
  const unit = found?.result.series[0]?.unit ?? named;
  const converted = inUnit(threshold.value, threshold.unit, unit);
  if (!converted) {
    const of = `${quote(metric, 80)}, which is in ${unit ?? 'another unit'} (\`${id}\`)`;
    return { different: [], problem: `I cannot compare ${threshold.value} ${threshold.unit ?? ''} with ${of}.` };
  }
  const operator = threshold.operator ?? textOf(before, 'operator') ?? (before['direction'] === 'below' ? '<' : '>');
  const limit = `${OPERATORS[operator] ?? operator} ${threshold.value}${threshold.unit === undefined ? '' : ` ${threshold.unit}`}`;
  return {
    check: { condition: { type: 'threshold', operator, value: converted.value } },
    title: `${title.replace(LIMIT_IN_TITLE, '')} ${limit}`.slice(0, 200).toWellFormed(),
    different: [
      `is a finding ${limit} (${converted.value} in the metric's own unit)`,
      ...(converted.note === undefined ? [] : [converted.note]),
    ],
  };
}

function conditionOf(check: Record<string, unknown>): Record<string, unknown> {
  const { condition } = check;
  return typeof condition === 'object' && condition !== null ? { ...condition } : {};
}
