import { describeDuration, describeSchedule } from '../schedule/index.ts';
import type { Check, Plan, SubjectOf } from './schema.ts';

const COMPARED = {
  '>': 'above',
  '>=': 'at or above',
  '<': 'below',
  '<=': 'at or below',
  '==': 'equal to',
  '!=': 'other than',
} as const;
const MAX_OF_A_VALUE = 80;

/** One line for operators, as plain text: "p95 latency of checkout above 0.5 (mean of 5 minutes), every minute". */
export function describeCheck(check: Check): string {
  const line = `${describeSubject(check.check)}, ${describeSchedule(check.schedule)}${check.enabled ? '' : ' (disabled)'}`;
  return oneLine(line);
}

/** A plan as Markdown: its summary, and a list of its checks. */
export function describePlan(plan: Plan): string {
  const checks = plan.checks.map((check) => {
    const { id, title, severity, on_finding: actions, judge } = check;
    const then = `${severity}, ${judge ? 'judged by a model, ' : ''}then ${actions.join(' and ')}`;
    return `- **${plain(title)}** (\`${id}\`): ${plain(describeCheck(check))}; ${then}`;
  });
  const summary = plan.summary === '' ? [] : [plain(plan.summary), ''];
  return [...summary, ...(checks.length > 0 ? checks : ['No checks.'])].join('\n');
}

/** What was added, removed and changed, one line of plain text each; empty without changes. */
export function diffPlans(before: Plan, after: Plan): string[] {
  const old = new Map(before.checks.map((check) => [check.id, check]));
  const kept = new Set(after.checks.map(({ id }) => id));
  const lines: string[] = [];
  if (before.summary !== after.summary) {
    lines.push(`Changed the summary: ${shown(before.summary)} -> ${shown(after.summary)}`);
  }
  for (const check of after.checks) {
    const earlier = old.get(check.id);
    if (!earlier) lines.push(oneLine(`Added ${check.id}: ${describeCheck(check)}`));
    else {
      const changes = changedMembers(earlier, check, '');
      if (changes.length > 0) lines.push(oneLine(`Changed ${check.id}: ${changes.join('; ')}`));
    }
  }
  for (const check of before.checks) {
    if (!kept.has(check.id)) lines.push(oneLine(`Removed ${check.id}: ${describeCheck(check)}`));
  }
  return lines;
}

function describeSubject(subject: Check['check']): string {
  switch (subject.type) {
    case 'metric':
      return describeMetric(subject);
    case 'log_pattern': {
      const { condition, level, service, pattern, window_seconds: window } = subject;
      const kind = condition.type === 'new_pattern' ? 'of a new pattern ' : '';
      const text = pattern === undefined ? '' : ` with "${pattern}"`;
      const where = service === undefined ? '' : ` of ${service}`;
      const name = `${level === undefined ? '' : `${level} `}log lines`;
      return `at least ${condition.at_least} ${name} ${kind}in ${describeDuration(window)}${where}${text}`;
    }
    case 'service_health': {
      const { services, source, deviations, history_seconds: history } = subject;
      const whose = services === undefined ? `every service of ${source}` : services.join(', ');
      return `health of ${whose} deviates ${deviations}σ from the previous ${previous(history)}`;
    }
    case 'dependency':
      return describeDependency(subject);
    case 'mcp_tool': {
      const { condition, tool } = subject;
      if (condition.type !== 'value')
        return `${tool} answers ${condition.type === 'contains' ? 'with' : 'without'} "${condition.text}"`;
      const value = `${COMPARED[condition.operator]} ${JSON.stringify(condition.value)}`;
      return `${condition.pointer === '' ? 'the answer' : condition.pointer} of ${tool} ${value}`;
    }
    default:
      return `instruction "${cut(oneLine(subject.instruction), 120)}"`;
  }
}

function describeMetric(subject: SubjectOf<'metric'>): string {
  const { metric, promql, statistic, service, labels, condition, aggregate, window_seconds: window } = subject;
  const labelled = Object.entries(labels ?? {}).map(([name, value]) => `${name}="${value}"`);
  const name = `${metric ?? promql ?? ''}${labelled.length > 0 ? `{${labelled.join(', ')}}` : ''}`;
  const what = `${statistic === undefined ? '' : `${statistic} `}${name}${service === undefined ? '' : ` of ${service}`}`;
  const over = `${aggregate} of ${describeDuration(window)}`;
  if (condition.type === 'threshold') return `${what} ${COMPARED[condition.operator]} ${condition.value} (${over})`;
  const { direction, deviations, history_seconds: history } = condition;
  const side = direction === 'both' ? 'above or below' : direction;
  return `${what} ${deviations}σ ${side} the previous ${previous(history)} (${over})`;
}

/** `hour`, `5 minutes` */
const previous = (seconds: number): string => describeDuration(seconds).replace(/^1 /, '');

function describeDependency({ caller, callee, condition, window_seconds: window }: SubjectOf<'dependency'>): string {
  const from = caller === undefined ? '' : ` from ${caller}`;
  const to = callee === undefined ? '' : ` to ${callee}`;
  const calls = `calls${from}${to}`;
  const over = `(${describeDuration(window)})`;
  if (condition.type === 'missing') return `no ${calls} ${over}`;
  if (condition.type === 'error_ratio') return `error ratio of ${calls} above ${condition.above} ${over}`;
  return `p95 latency of ${calls} above ${condition.above} s ${over}`;
}

function changedMembers(before: unknown, after: unknown, at: string): string[] {
  if (JSON.stringify(before) === JSON.stringify(after)) return [];
  if (!isObject(before) || !isObject(after)) return [`${at} ${shown(before)} -> ${shown(after)}`];
  // Checks of different types have nothing to compare.
  if (before.type !== after.type) return [`${at} ${shown(before)} -> ${shown(after)}`];
  const members = [...new Set([...Object.keys(before), ...Object.keys(after)])];
  return members.flatMap((name) => changedMembers(before[name], after[name], at === '' ? name : `${at}.${name}`));
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const shown = (value: unknown): string => (value === undefined ? 'none' : cut(JSON.stringify(value), MAX_OF_A_VALUE));

const cut = (text: string, most: number): string =>
  text.length > most ? `${text.slice(0, most - 1).toWellFormed()}…` : text;

const oneLine = (text: string): string => text.replaceAll(/\s+/g, ' ').trim();

/** Shows external text as text, whatever Markdown or HTML it holds. */
const plain = (text: string): string => oneLine(text).replaceAll(/[\\`*_[\]<>#|~!&]/g, '\\$&');
