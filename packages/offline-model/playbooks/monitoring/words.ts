/** How checks read in answers. Names from telemetry are shown so that nothing in them is Markdown. */
import { name, quote } from '../investigation/statements.ts';
import { inUnit, unitOfMetric } from './reading/units.ts';
import type { QuietHours } from '../../../../src/features/monitoring-agents/plan/schema.ts';

const PLAIN = /^(?!.*(?:https?:|www\.|\/\/))[\p{L}\p{N}\s.,:;%"'’…/<>=_+?-]*$/u;
const TITLE_CHARACTERS = 160;

/** A title as it is where it is plainly words, otherwise as code. */
export function titled(title: string): string {
  return PLAIN.test(title) && !/<\/?\w/.test(title) ? title : quote(title, TITLE_CHARACTERS);
}

/** "5 minutes", "90 seconds", "1 hour". */
export function describeDuration(seconds: number): string {
  const [size, unit] =
    seconds % 86_400 === 0
      ? [86_400, 'day']
      : seconds % 3_600 === 0
        ? [3_600, 'hour']
        : seconds % 60 === 0
          ? [60, 'minute']
          : [1, 'second'];
  return `${seconds / size} ${unit}${seconds === size ? '' : 's'}`;
}

interface AnySchedule {
  every_seconds?: number | undefined;
  cron?: string | undefined;
  time_zone?: string | undefined;
  quiet_hours?: QuietHours[] | undefined;
}

/** `every 5 minutes`, `by cron 0 9 * * 1-5 (Europe/Berlin)`. */
export function scheduled({ every_seconds = 0, cron, time_zone = 'UTC', quiet_hours = [] }: AnySchedule): string {
  const rhythm =
    cron === undefined ? `every ${describeDuration(every_seconds).replace(/^1 /, '')}` : `by cron ${quote(cron, 60)}`;
  const quiet = quiet_hours.map(({ days, from, to }) =>
    [`${from}-${to}`, ...(days ? [`on ${days.join(', ')}`] : [])].join(' '),
  );
  const zone = cron !== undefined || quiet.length > 0 ? ` (${time_zone})` : '';
  return `${rhythm}${zone}${quiet.length > 0 ? `, not ${quiet.join(' or ')}` : ''}`;
}

/** What makes a finding. */
export function condition(check: { type: string } & Partial<Record<string, unknown>>, unit?: string): string {
  const measuredIn = unit ?? unitOfMetric(typeof check['metric'] === 'string' ? check['metric'] : '', undefined);
  const said = check['condition'];
  const of = isObject(said) ? said : {};
  const window = typeof check['window_seconds'] === 'number' ? describeDuration(check['window_seconds']) : '5 minutes';
  switch (check.type) {
    case 'metric': {
      const aggregate = check['aggregate'];
      const over = aggregate === 'min' || aggregate === 'max' ? `all through ${window}` : `on average of ${window}`;
      if (of['type'] === 'threshold') return `${wordOf(of['operator'])} ${figure(of['value'], measuredIn)}, ${over}`;
      const way = of['direction'] === 'below' ? 'below' : of['direction'] === 'both' ? 'above or below' : 'above';
      const history = typeof of['history_seconds'] === 'number' ? of['history_seconds'] : 3_600;
      const least =
        typeof of['least_change'] === 'number' && of['least_change'] > 0
          ? `, by at least ${figure(of['least_change'], measuredIn)}`
          : '';
      return `clearly ${way} what was usual in the ${describeDuration(history).replace(/^1 /, '')} before${least}, on average of ${window}`;
    }
    case 'log_pattern': {
      const least = typeof of['at_least'] === 'number' ? of['at_least'] : of['type'] === 'new_pattern' ? 3 : 1;
      const lines = `at least ${least} ${least === 1 ? 'line' : 'lines'} in ${window}`;
      return of['type'] === 'new_pattern' ? `${lines} of a kind that was not there before` : lines;
    }
    case 'service_health':
      return `errors, latency, saturation or traffic clearly unlike before, in ${window}`;
    case 'dependency':
      if (of['type'] === 'missing') return `no such call in ${window}`;
      return of['type'] === 'p95_seconds'
        ? `p95 above ${figure(of['above'])} s in ${window}`
        : `more than ${figure(Number(of['above']) * 100)} % fail in ${window}`;
    case 'instruction':
      return 'what the instruction says';
    default:
      return 'its condition';
  }
}

/** `you are notified and an investigation is opened`. */
export function actions(on: readonly string[] | undefined): string {
  const told = on === undefined || on.includes('notify');
  const looked = on === undefined || on.includes('investigate');
  if (told && looked) return 'you are notified and an investigation is opened';
  return told
    ? 'you are notified, and no investigation is opened'
    : 'an investigation is opened, and nobody is notified';
}

function wordOf(operator: unknown): string {
  const words: Record<string, string> = {
    '>': 'above',
    '>=': 'at or above',
    '<': 'below',
    '<=': 'at or below',
    '==': 'equal to',
    '!=': 'other than',
  };
  return (typeof operator === 'string' && words[operator]) || 'beyond';
}

function figure(value: unknown, unit?: string): string {
  if (typeof value !== 'number') return 'its limit';
  // A share is read as people write it.
  const share = unit === 'ratio' ? inUnit(value, 'ratio', '%')?.value : undefined;
  const text = String(Number((share ?? value).toPrecision(6)));
  if (share !== undefined) return `${text} %`;
  return unit === undefined || unit === '1' ? text : `${text} ${name(unit)}`;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
