/**
 * Checks from a few templates, one for each service and kind of signal that the words name: a metric, lines of logs, the
 * health of services, alerts. Without a limit a check compares with what is usual.
 */
import type { PlanInput } from '../../../../src/features/monitoring-agents/plan/schema.ts';
import type { PlannedCall } from '../../decide.ts';
import { wasMade } from '../calls.ts';
import { call } from '../investigation/gather.ts';
import {
  inUnit,
  limitIn,
  metricFor,
  quotedIn,
  servicesIn,
  signalsIn,
  statisticIn,
  unknownServiceIn,
  type Limit,
  type Signal,
} from '../reading.ts';
import { metricsOf, sourceWith, type Telemetry } from '../telemetry.ts';
import { listed, name } from '../conversation/wording.ts';
import { settingsIn, type Settings } from './settings.ts';

type CheckInput = NonNullable<PlanInput['checks']>[number];

export interface Draft {
  checks: CheckInput[];
  /** Calls that tell which metrics there are. */
  calls: PlannedCall[];
  /** What is not watched, and what was assumed, in words. */
  notes: string[];
}

const MAX_METRICS = 60;
const MAX_SERVICES = 10;
const MAX_SIGNALS = 4;
const LEAST_WINDOW = 120;
const USUAL_WINDOW = 300;
const HOUR = 3_600;
const DAY = 86_400;
const TITLE_CHARACTERS = 160;
const LOGS = /\blogs?\b|\blog lines?\b|\bexceptions?\b|\bstack ?traces?\b/iu;
const HEALTH = /\b(?:health\w*|everything|all (?:the )?services|whole|system|off|wrong|unusual|ok(?:ay)?)\b/iu;
/** What the templates have no check for, and an instruction in the person's own words does. */
const INSTRUCTION = /\b(?:alerts?(?! (?:me|us)\b)|alarms?|deploy\w*|releases?|changes?|changed)\b/iu;

/** @returns nothing at all where the words name nothing that there is a template for */
export function draftPlan(text: string, telemetry: Telemetry, can: (tool: string) => boolean): Draft {
  const settings = settingsIn(text);
  const quoted = quotedIn(text);
  const plain = text.replaceAll(/["“`][^"”`\n]*["”`]/gu, ' ');
  const services = servicesIn(plain, telemetry.services).slice(0, MAX_SERVICES);
  const unknown = services.length === 0 ? unknownServiceIn(withoutTimes(plain)) : undefined;
  const whom = services.length > 0 ? services : [undefined];
  const draft: Draft = { checks: [], calls: [], notes: [] };
  const limit = limitIn(plain);
  const isLogs = LOGS.test(plain) || quoted.length > 0;
  const signals = isLogs ? [] : signalsIn(withoutTimes(plain)).slice(0, MAX_SIGNALS);
  const isHealth = HEALTH.test(plain) || (services.length > 0 && signals.length === 0);
  if (unknown !== undefined && !isHealth && !INSTRUCTION.test(plain)) {
    const known = telemetry.services.slice(0, MAX_SERVICES).map(name);
    const among = known.length > 0 ? ` The services that I know are ${listed(known)}.` : '';
    draft.notes.push(`I know no service called “${name(unknown)}”.${among}`);
    return draft;
  }
  if (!telemetry.choice) draft.notes.push('No telemetry source can be read.');
  else if (INSTRUCTION.test(plain)) draft.checks.push(instruction(text, settings));
  else if (isLogs)
    for (const service of whom)
      addLogs(draft, telemetry, settings, { service, text: plain, pattern: quoted[0], limit });
  else if (signals.length > 0)
    for (const service of whom)
      for (const signal of signals)
        addMetric(draft, telemetry, settings, {
          service,
          signal,
          limit: signals.length === 1 ? limit : limitIn(near(plain, signal)),
          statistic: statisticIn(plain),
          can,
        });
  else if (isHealth) addHealth(draft, telemetry, settings, services);
  return draft;
}

/** `every 10 minutes` names no load, and `the last hour` no service. */
function withoutTimes(text: string): string {
  return text.replaceAll(
    /\b(?:every|each|last|past|for|within)\s+(?:the\s+)?[\w-]+(?:\s+(?:seconds?|minutes?|hours?|days?))?/giu,
    (said) => (/second|minute|hour|day|\d/iu.test(said) ? ' ' : said),
  );
}

/** The part of a text that speaks of a signal. */
function near(text: string, { said }: Signal): string {
  return text.split(/\band\b|,(?!\d)|;/iu).find((one) => said.test(one)) ?? '';
}

function addMetric(
  draft: Draft,
  telemetry: Telemetry,
  settings: Settings,
  {
    service,
    signal,
    limit,
    statistic,
    can,
  }: {
    service: string | undefined;
    signal: Signal;
    limit: Limit | undefined;
    statistic: string | undefined;
    can: (tool: string) => boolean;
  },
): void {
  const source = sourceWith(telemetry, 'metrics', service);
  const whose = service === undefined ? '' : ` of ${name(service)}`;
  if (!source) {
    draft.notes.push(`No source has metrics${whose}, so the ${signal.title} is not watched.`);
    return;
  }
  const search = call('search_metrics', { source: source.id, service, limit: MAX_METRICS });
  const metrics = metricsOf(telemetry.file, source.id, service);
  if (!metrics && can(search.name) && !wasMade(telemetry.file, search)) {
    draft.calls.push(search);
    return;
  }
  const chosen = metricFor(signal, metrics ?? [], source.kind, statistic);
  if (!chosen) {
    draft.notes.push(`I find no metric for the ${signal.title}${whose} in ${name(source.id)}, so it is not watched.`);
    return;
  }
  const window = windowOf(settings, limit?.sustained);
  const value = limit && inUnit(limit.value, limit.unit, chosen.unit);
  if (limit && value === undefined)
    draft.notes.push(
      `I cannot compare ${limit.value} ${limit.unit ?? ''} with ${name(chosen.metric)}, so I compare it with what is usual.`,
    );
  const [change, of] = signal.leastChange ?? [];
  const least = change === undefined || chosen.unit === undefined ? undefined : inUnit(change, of, chosen.unit);
  const isSustained = limit?.sustained !== undefined && value !== undefined;
  const title = `${chosen.statistic ? `${chosen.statistic} ` : ''}${signal.title} of ${service ?? 'all services'}`;
  draft.checks.push({
    ...framed(draft, settings, title, [service ?? 'all', signal.id]),
    check: {
      type: 'metric',
      source: source.id,
      metric: chosen.metric,
      ...(service !== undefined && { service }),
      ...(chosen.statistic !== undefined && { statistic: chosen.statistic }),
      window_seconds: window,
      // All through the window is what the value that is last to be beyond the limit says.
      ...(isSustained && { aggregate: limit.operator.startsWith('>') ? ('min' as const) : ('max' as const) }),
      condition:
        limit && value !== undefined
          ? { type: 'threshold', operator: limit.operator, value }
          : {
              type: 'baseline',
              direction: signal.direction,
              history_seconds: historyOf(settings, window, 14 * DAY),
              ...(least !== undefined && { least_change: least }),
            },
    },
  });
}

function addLogs(
  draft: Draft,
  telemetry: Telemetry,
  settings: Settings,
  {
    service,
    text,
    pattern,
    limit,
  }: { service: string | undefined; text: string; pattern: string | undefined; limit: Limit | undefined },
): void {
  const source = sourceWith(telemetry, 'logs', service);
  const whose = service === undefined ? '' : ` of ${service}`;
  if (!source) {
    draft.notes.push(
      `No source has logs${service === undefined ? '' : ` of ${name(service)}`}, so they are not watched.`,
    );
    return;
  }
  const level = /\bwarn/iu.test(text) ? ('warn' as const) : ('error' as const);
  const window = Math.max(USUAL_WINDOW, windowOf(settings, limit?.sustained));
  const least = limit && Math.max(1, limit.operator === '>' ? Math.floor(limit.value) + 1 : Math.ceil(limit.value));
  const title =
    pattern === undefined
      ? `${least === undefined ? 'New ' : ''}${level} lines in the logs${whose}`
      : `"${pattern}" in the logs${whose}`;
  draft.checks.push({
    ...framed(draft, settings, title, [service ?? 'all', pattern?.slice(0, 30) ?? level, 'logs']),
    check: {
      type: 'log_pattern',
      source: source.id,
      ...(service !== undefined && { service }),
      ...(pattern === undefined ? { level } : { pattern }),
      window_seconds: window,
      condition:
        pattern === undefined && least === undefined
          ? { type: 'new_pattern', history_seconds: historyOf(settings, window, DAY) }
          : { type: 'count', at_least: least ?? 1 },
    },
  });
}

/** The health of services, by all of their metrics. */
function addHealth(draft: Draft, telemetry: Telemetry, settings: Settings, services: readonly string[]): void {
  const source = sourceWith(telemetry, 'metrics', services[0]);
  if (!source) {
    draft.notes.push('No source has metrics to tell health from.');
    return;
  }
  const window = windowOf(settings);
  const whose = services.length > 0 ? services.join(', ') : `all services of ${source.id}`;
  draft.checks.push({
    ...framed(draft, settings, `Health of ${whose}`, [
      ...(services.length > 0 ? services.slice(0, 3) : ['all']),
      'health',
    ]),
    check: {
      type: 'service_health',
      source: source.id,
      ...(services.length > 0 && { services: [...services] }),
      window_seconds: window,
      history_seconds: historyOf(settings, window, DAY),
    },
  });
}

/** What a model, or this one, is to look at itself, in the person's words. */
function instruction(text: string, settings: Settings): CheckInput {
  const title = text
    .replaceAll(/[\s\p{Cc}]+/gu, ' ')
    .trim()
    .slice(0, TITLE_CHARACTERS)
    .toWellFormed();
  return {
    ...framed({ checks: [], calls: [], notes: [] }, settings, title, ['instruction', ...title.split(' ').slice(0, 4)]),
    check: { type: 'instruction', instruction: text.trim().slice(0, 5_000).toWellFormed() },
  };
}

/** A check without its subject. Its id is made of words; a check of the same id is replaced. */
function framed(
  { checks }: Draft,
  { schedule, members }: Settings,
  title: string,
  parts: string[],
): Omit<CheckInput, 'check'> {
  const words =
    parts
      .join('-')
      .toLowerCase()
      .replaceAll(/[^a-z0-9]+/g, '-')
      .slice(0, 56)
      .replaceAll(/^-+|-+$/g, '') || 'check';
  const id = checks.some((one) => one.id === words) ? `${words}-${checks.length + 1}` : words;
  const plain = title
    .replaceAll(/[\s\p{Cc}]+/gu, ' ')
    .slice(0, TITLE_CHARACTERS)
    .toWellFormed();
  const isName = /^p\d/.test(plain);
  return { id, title: isName ? plain : `${plain.charAt(0).toUpperCase()}${plain.slice(1)}`, schedule, ...members };
}

/** At least as long as nobody looks, and long enough for noisy series. */
function windowOf({ window, period }: Settings, sustained?: number): number {
  const usual = period < USUAL_WINDOW ? Math.max(LEAST_WINDOW, period) : Math.min(HOUR, period);
  return Math.min(DAY, Math.max(10, sustained ?? window ?? usual));
}

function historyOf({ history }: Settings, window: number, most: number): number {
  return Math.min(most, Math.max(60, history ?? Math.max(HOUR, 4 * window)));
}
