/**
 * Checks from a few templates, one for each service and kind of signal that the words name: a metric, log lines, the
 * health of services, or an instruction. Without a limit, a check compares with the usual values.
 */
import type { PlanInput } from '../../../../src/features/monitoring-agents/plan/schema.ts';
import type { PlannedCall } from '../../decide.ts';
import { call, wasMade } from '../calls.ts';
import { inUnit, limitIn, metricFor, type Signal } from '../reading.ts';
import { subjectOf, type Subject } from '../subject.ts';
import { MAX_METRICS } from '../investigation/survey.ts';
import { metricsOf, sourceWith, type Telemetry } from '../telemetry.ts';
import { listed, name } from '../wording.ts';

interface Settings {
  /** Seconds between two runs. */
  period: number;
  /** Seconds that something has to last. */
  lasting?: number;
  severity?: CheckInput['severity'];
}

const DEFAULT_PERIOD = 300;
const MIN_PERIOD = 5;
const MAX_PERIOD = 7 * 86_400;
const LENGTH = String.raw`\s+(?:at least\s+|more than\s+)?(\d+|an?)?\s*(s|m|h|d)(?:ec(?:ond)?|in(?:ute)?|our|ay)?s?\b`;
const EVERY = new RegExp(String.raw`\b(?:every|each)${LENGTH}`, 'iu');
const LASTING = new RegExp(String.raw`\bfor${LENGTH}`, 'iu');
const SEVERITIES = ['critical', 'warning', 'info'] as const;
const SECONDS: Record<string, number> = { s: 1, m: 60, h: 3_600, d: 86_400 };

function settingsIn(text: string): Settings {
  const secondsOf = (said: RegExp): number | undefined => {
    const [, count, unit = ''] = said.exec(text) ?? [];
    const one = SECONDS[unit.toLowerCase()];
    return one && one * (Number(count) || 1);
  };
  const lasting = secondsOf(LASTING);
  const period = Math.min(secondsOf(EVERY) ?? DEFAULT_PERIOD, lasting ?? Infinity);
  return {
    period: Math.min(MAX_PERIOD, Math.max(MIN_PERIOD, period)),
    lasting,
    severity: SEVERITIES.find((one) => new RegExp(String.raw`\b${one}\b`, 'iu').test(text)),
  };
}

type CheckInput = NonNullable<PlanInput['checks']>[number];

export interface Draft {
  checks: CheckInput[];
  /** Calls that look up the metrics. */
  calls: PlannedCall[];
  /** What is not watched, and assumptions. */
  notes: string[];
}

interface Drafting {
  draft: Draft;
  telemetry: Telemetry;
  settings: Settings;
  subject: Subject;
}

const HOUR = 3_600;
const MIN_WINDOW = 10;
const TITLE_CHARACTERS = 160;
const MAX_NAMED = 10;
const HEALTH = /\b(?:health\w*|everything|all (?:the )?services|whole|system|off|wrong|unusual|ok(?:ay)?)\b/iu;
/** No template covers these, so the check carries out the person's own words. */
const INSTRUCTION = /\b(?:alerts?(?! (?:me|us)\b)|alarms?|deploy\w*|releases?|changes?|changed)\b/iu;

/** @returns no checks if no template fits */
export function draftPlan(text: string, telemetry: Telemetry, can: (tool: string) => boolean): Draft {
  const draft: Draft = { checks: [], calls: [], notes: [] };
  const subject = subjectOf(text, telemetry.services);
  const { plain, services, signals, unknown } = subject;
  const drafting: Drafting = { draft, telemetry, settings: settingsIn(text), subject };
  const isHealth = HEALTH.test(plain) || (services.length > 0 && signals.length === 0);
  const isInstruction = INSTRUCTION.test(plain);
  const each = services.length > 0 ? services : [undefined];
  if (!telemetry.choice) draft.notes.push('No telemetry source can be read.');
  else if (isInstruction) addInstruction(drafting, text);
  else if (unknown !== undefined && !isHealth) {
    const known = telemetry.services.slice(0, MAX_NAMED).map(name);
    const among = known.length > 0 ? ` Known services: ${listed(known)}.` : '';
    draft.notes.push(`No service is called “${name(unknown)}”.${among}`);
  } else if (subject.isAboutLogs) for (const service of each) addLogs(drafting, service);
  else if (signals.length > 0)
    for (const service of each) for (const signal of signals) addMetric(drafting, signal, service, can);
  else if (isHealth) addHealth(drafting);
  return draft;
}

function addMetric(
  { draft, telemetry, settings, subject }: Drafting,
  signal: Signal,
  service: string | undefined,
  can: (tool: string) => boolean,
): void {
  const source = sourceWith(telemetry, 'metrics', service);
  const whose = service === undefined ? '' : ` of ${name(service)}`;
  if (!source) return void draft.notes.push(`No source has metrics${whose}, so the ${signal.title} is not watched.`);
  const search = call('search_metrics', { source: source.id, service, limit: MAX_METRICS });
  const metrics = metricsOf(telemetry.file, source.id, service);
  if (!metrics && can(search.name) && !wasMade(telemetry.file, search)) return void draft.calls.push(search);
  const chosen = metricFor(signal, metrics ?? [], source.kind, subject.statistic);
  if (!chosen) {
    draft.notes.push(`${name(source.id)} has no metric for the ${signal.title}${whose}, so it is not watched.`);
    return;
  }
  const part = subject.plain.split(/\band\b|,(?!\d)|;/iu).find((one) => signal.said.test(one)) ?? '';
  const limit = subject.signals.length === 1 ? subject.limit : limitIn(part);
  const value = limit && inUnit(limit.value, limit.unit, chosen.unit);
  if (limit && value === undefined)
    draft.notes.push(
      `${limit.value} ${limit.unit ?? ''} cannot be compared with ${name(chosen.metric)}, so it alerts on deviation from the baseline.`,
    );
  const [change, unit] = signal.leastChange ?? [];
  const least = change === undefined || chosen.unit === undefined ? undefined : inUnit(change, unit, chosen.unit);
  const title = `${chosen.statistic ? `${chosen.statistic} ` : ''}${signal.title} of ${service ?? 'all services'}`;
  add(draft, settings, title, [service ?? 'all', signal.id], {
    type: 'metric',
    source: source.id,
    metric: chosen.metric,
    service,
    statistic: chosen.statistic,
    window_seconds: windowOf(settings),
    condition:
      limit && value !== undefined
        ? { type: 'threshold', operator: limit.operator, value }
        : {
            type: 'baseline',
            direction: signal.direction,
            ...(least !== undefined && { least_change: least }),
          },
  });
}

function addLogs({ draft, telemetry, settings, subject }: Drafting, service: string | undefined): void {
  const { lines, limit } = subject;
  const source = sourceWith(telemetry, 'logs', service);
  const whose = service === undefined ? '' : ` of ${service}`;
  if (!source) return void draft.notes.push('No source has logs, so they are not watched.');
  const least = limit && Math.max(1, limit.operator === '>' ? Math.floor(limit.value) + 1 : Math.ceil(limit.value));
  const isNew = 'level' in lines && least === undefined;
  const what = 'pattern' in lines ? `"${lines.pattern}"` : `${isNew ? 'New ' : ''}${lines.level} lines`;
  const id = 'pattern' in lines ? lines.pattern.slice(0, 30) : lines.level;
  add(draft, settings, `${what} in the logs${whose}`, [service ?? 'all', id, 'logs'], {
    type: 'log_pattern',
    source: source.id,
    service,
    ...lines,
    window_seconds: windowOf(settings),
    condition: isNew ? { type: 'new_pattern' } : { type: 'count', at_least: least ?? 1 },
  });
}

/** The health of services, by all of their metrics. */
function addHealth({ draft, telemetry, settings, subject: { services } }: Drafting): void {
  const source = sourceWith(telemetry, 'metrics', services[0]);
  if (!source) return void draft.notes.push('No source has metrics, so health is not watched.');
  const isAll = services.length === 0;
  const title = isAll ? 'Service health' : `Health of ${services.join(', ')}`;
  add(draft, settings, title, [...(isAll ? ['all'] : services.slice(0, 3)), 'health'], {
    type: 'service_health',
    source: source.id,
    services: isAll ? undefined : services,
    window_seconds: windowOf(settings),
  });
}

function addInstruction({ draft, settings }: Drafting, text: string): void {
  const title = text.trim();
  const id = ['instruction', ...title.split(/\s+/).slice(0, 4)];
  add(draft, settings, title, id, { type: 'instruction', instruction: title.slice(0, 5_000).toWellFormed() });
}

/** Ids are made of words; the plan replaces a check of the same id. */
function add(
  { checks }: Draft,
  { period, severity }: Settings,
  title: string,
  parts: string[],
  check: CheckInput['check'],
): void {
  const words = parts
    .join('-')
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .slice(0, 56);
  const plain = words.replaceAll(/^-+|-+$/g, '') || 'check';
  const line = title
    .replaceAll(/[\s\p{Cc}]+/gu, ' ')
    .slice(0, TITLE_CHARACTERS)
    .toWellFormed();
  checks.push({
    id: checks.some(({ id }) => id === plain) ? `${plain}-${checks.length + 1}` : plain,
    title: /^p\d/.test(line) ? line : `${line.charAt(0).toUpperCase()}${line.slice(1)}`,
    schedule: { every_seconds: period },
    ...(severity !== undefined && { severity }),
    check,
  });
}

/** What has to last, else the time since the last run, up to an hour; by default the plan looks at five minutes. */
function windowOf({ period, lasting }: Settings): number | undefined {
  if (lasting !== undefined) return Math.min(HOUR, Math.max(MIN_WINDOW, lasting));
  return period > DEFAULT_PERIOD ? Math.min(HOUR, period) : undefined;
}
