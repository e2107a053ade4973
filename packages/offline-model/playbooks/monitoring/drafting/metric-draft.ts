/** Checks of metrics: which metric it is, in which unit, and how it stands. */
import { call } from '../../investigation/gather.ts';
import { isLive, type ListedSource } from '../../investigation/sources.ts';
import { cite, failureOf, listed, measured, metricName, name } from '../../conversation/wording.ts';
import { given } from '../../conversation/calls.ts';
import type { SaidLimit } from '../reading/thresholds.ts';
import type { Subject, Wish } from '../reading/wish.ts';
import { conditionFor } from './conditions.ts';
import { only, periodFor, recorded, type Draft, type DraftContext, type Outcome } from './draft-types.ts';
import { healthDrafts } from './health-draft.ts';
import { chooseMetrics, namedMetric, type ChosenMetric } from './metric-choice.ts';
import { metricsOf, readingOf, sourceWith } from './telemetry.ts';

type MetricSubject = Extract<Subject, { kind: 'metric' | 'named metric' | 'promql' }>;

const MOST_METRICS = 60;
const NAMED = 8;
const HOUR_MS = 3_600_000;

export function metricDrafts(context: DraftContext, wish: Wish, subject: MetricSubject): Outcome {
  const outcome: Outcome = { drafts: [], calls: [], problems: [] };
  if (subject.kind === 'promql') return promqlDraft(context, wish, subject);
  for (const service of wish.services.length > 0 ? wish.services : [undefined]) {
    const { drafts, calls, problems } = draftOf(context, wish, subject, service);
    outcome.drafts.push(...drafts);
    outcome.calls.push(...calls);
    outcome.problems.push(...problems);
  }
  return outcome;
}

function draftOf(
  context: DraftContext,
  wish: Wish,
  subject: Exclude<MetricSubject, { kind: 'promql' }>,
  service: string | undefined,
): Outcome {
  const { telemetry, can } = context;
  const what = subject.kind === 'metric' ? subject.aspect.title : subject.metric;
  const whose = service === undefined ? '' : ` of ${name(service)}`;
  const source = sourceWith(telemetry, 'metrics', service);
  if (!source) return impossible(`No source that I can read has metrics${whose}, so I do not watch the ${what}.`);
  const found = metricsOf(telemetry.file, source.id, service);
  if (!found) {
    const search = call('search_metrics', { source: source.id, service, limit: MOST_METRICS });
    const made = telemetry.file.transcript.calls.find(
      (one) => one.tool === 'search_metrics' && given(one, 'source') === source.id && given(one, 'service') === service,
    );
    if (made)
      return impossible(
        `I could not find out which metrics there are${whose}: ${failureOf(made)}${cite(made)}. The ${what} is not watched.`,
      );
    return can('search_metrics')
      ? { drafts: [], calls: [search], problems: [] }
      : impossible(`I cannot look for metrics here, so I do not watch the ${what}${whose}.`);
  }
  const choices =
    subject.kind === 'metric'
      ? chooseMetrics(subject, found.result, service, source.kind)
      : [namedMetric(subject.metric, subject.statistic, found.result)].filter((one) => one !== undefined);
  const read = firstReadable(context, source, choices, service);
  if (read.calls.length > 0) return { drafts: [], calls: read.calls, problems: [] };
  if (!read.choice) {
    const names = listed(
      found.result.metrics.map((one) => name(one.metric)),
      NAMED,
    );
    const known = names === '' ? 'none' : names;
    const missing = `I find no metric for the ${what}${whose} in ${name(source.id)}; there are ${known}${cite(found.call)}.`;
    if (subject.kind !== 'metric' || !['errors', 'latency'].includes(subject.aspect.id)) return impossible(missing);
    const instead = healthDrafts(context, { ...wish, services: service === undefined ? [] : [service] });
    for (const draft of instead.drafts) draft.notes.push(`${missing} I watch the health${whose} instead.`);
    return instead;
  }
  return only(written(context, wish, subject, service, source, read.choice));
}

/** The first of the choices that can be read; what cannot be tried is taken as it is. */
function firstReadable(
  { telemetry, chat, can }: DraftContext,
  source: ListedSource,
  choices: readonly ChosenMetric[],
  service: string | undefined,
) {
  const silent: ChosenMetric[] = [];
  for (const choice of choices) {
    if (!can('query_metric')) return { choice, calls: [] };
    const reading = readingOf(telemetry.file, {
      source: source.id,
      metric: choice.metric,
      ...(service !== undefined && { service }),
    });
    if (reading === undefined) {
      const now = Date.parse(chat.now ?? '');
      const window = isLive(source) && !Number.isNaN(now) ? { from: iso(now - HOUR_MS), to: iso(now) } : {};
      const query = { source: source.id, metric: choice.metric, service, statistic: choice.statistic, ...window };
      return { calls: [call('query_metric', query)] };
    }
    if (reading && reading.result.series.length > 0) return { choice, calls: [] };
    if (reading) silent.push(choice);
  }
  // It is there, and has no values at the moment.
  return { choice: silent[0], calls: [] };
}

function written(
  { telemetry }: DraftContext,
  wish: Wish,
  subject: Exclude<MetricSubject, { kind: 'promql' }>,
  service: string | undefined,
  source: ListedSource,
  choice: ChosenMetric,
): Draft {
  const reading = readingOf(telemetry.file, {
    source: source.id,
    metric: choice.metric,
    ...(service !== undefined && { service }),
  });
  const [series] = reading?.result.series ?? [];
  const unit = series?.unit ?? choice.unit;
  const aspect = subject.kind === 'metric' ? subject.aspect : undefined;
  const direction = subject.kind === 'metric' && subject.success ? 'below' : aspect?.direction;
  const { condition, window_seconds, aggregate, notes } = conditionFor(
    subject.limit,
    aspect && { ...aspect, direction: direction ?? aspect.direction },
    unit,
    periodFor(wish.settings),
  );
  const last = series?.points.findLast((point): point is [string, number] => point[1] !== null);
  const what = aspect ? (subject.kind === 'metric' && subject.success ? 'success rate' : aspect.title) : choice.metric;
  const shown = metricName({
    metric: choice.metric,
    ...(choice.statistic !== undefined && { statistic: choice.statistic }),
  });
  const lacks =
    choice.lacks === undefined
      ? []
      : [`${name(choice.metric)} has no ${choice.lacks}; I take ${choice.statistic ?? 'it as it is'}.`];
  const silent =
    reading && reading.result.series.length === 0
      ? [
          `${name(choice.metric)} has no values at the moment${cite(reading.call)}: until it has, the check fails and says so.`,
        ]
      : [];
  return {
    wish,
    // A limit that could not be taken is not in its name either.
    title: titleOf(what, choice.statistic, service, condition.type === 'threshold' ? subject.limit : {}),
    subject: {
      type: 'metric',
      source: source.id,
      metric: choice.metric,
      ...(service !== undefined && { service }),
      ...(choice.statistic !== undefined && { statistic: choice.statistic }),
      window_seconds,
      ...(aggregate && { aggregate }),
      condition,
    },
    parts: [
      service ?? 'all',
      aspect?.id ?? choice.metric,
      choice.statistic && /^p\d/.test(choice.statistic) ? choice.statistic : undefined,
    ],
    ...(unit !== undefined && { unit }),
    now: last && reading ? `${shown} is at ${measured(last[1], unit)}${cite(reading.call)}` : `the metric is ${shown}`,
    notes: [...notes, ...lacks, ...silent, ...recorded(source)],
  };
}

function promqlDraft(
  { telemetry, can, chat }: DraftContext,
  wish: Wish,
  subject: Extract<MetricSubject, { kind: 'promql' }>,
): Outcome {
  const source = sourceWith(telemetry, 'promql');
  if (!source) return impossible('No source that I can read takes PromQL.');
  const made = telemetry.file.transcript.calls
    .filter((one) => one.tool === 'promql' && given(one, 'expr') === subject.promql)
    .at(-1);
  if (!made && can('promql')) {
    const now = Date.parse(chat.now ?? '');
    const window = Number.isNaN(now) ? {} : { from: iso(now - HOUR_MS), to: iso(now) };
    return {
      drafts: [],
      calls: [call('promql', { source: source.id, expr: subject.promql, ...window })],
      problems: [],
    };
  }
  if (made?.isError)
    return impossible(`The expression does not work: ${failureOf(made)}${cite(made)}. It is not watched.`);
  const { condition, window_seconds, aggregate, notes } = conditionFor(
    subject.limit,
    undefined,
    undefined,
    periodFor(wish.settings),
  );
  return only({
    wish,
    title: subject.promql,
    subject: {
      type: 'metric',
      source: source.id,
      promql: subject.promql.slice(0, 5_000),
      window_seconds,
      ...(aggregate && { aggregate }),
      condition,
    },
    parts: ['promql', subject.promql.slice(0, 30)],
    notes: [...notes, ...recorded(source)],
  });
}

function titleOf(
  what: string,
  statistic: string | undefined,
  service: string | undefined,
  { threshold }: SaidLimit,
): string {
  const whose = service === undefined ? ' of all services' : ` of ${service}`;
  const quantile = statistic !== undefined && /^p\d/.test(statistic) ? `${statistic} ` : '';
  const words = {
    '>': 'above',
    '>=': 'at or above',
    '<': 'below',
    '<=': 'at or below',
    '==': 'equal to',
    '!=': 'other than',
  };
  const limit = threshold
    ? ` ${words[threshold.operator ?? '>']} ${threshold.value}${threshold.unit === undefined ? '' : ` ${threshold.unit}`}`
    : '';
  return `${quantile}${what}${whose}${limit}`;
}

function impossible(problem: string): Outcome {
  return { drafts: [], calls: [], problems: [problem] };
}

function iso(milliseconds: number): string {
  return new Date(milliseconds).toISOString().replace('.000Z', 'Z');
}
