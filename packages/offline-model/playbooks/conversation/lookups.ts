/** Questions that one or two calls answer. */
import { quantity } from '@casebook/wording';
import type {
  QueryMetricResult,
  SearchLogsResult,
  ServiceDependenciesResult,
} from '../../../../src/features/tools/results.ts';
import type { PlannedCall, Turn } from '../../decide.ts';
import { openCase, type CaseFile, type Found } from '../investigation/case-file.ts';
import { NOTABLE_SCORE } from '../investigation/conclusion.ts';
import { isLive, usableSources, workingSources, type ListedSource } from '../investigation/sources.ts';
import { MAX_METRICS } from '../investigation/survey.ts';
import { metricsOf } from '../telemetry.ts';
import { metricFor, quotedIn, SIGNALS, signalsIn, statisticIn } from '../reading.ts';
import { has, type Chat, type Play } from './chat.ts';
import { isAboutNow, type LookupKind } from './intent.ts';
import { periodOf, targetOf, type Target } from './target.ts';
import { call, given, wasMade } from '../calls.ts';
import { bullets, cite, clock, failureOf, listed, name, paragraphs, quote } from '../wording.ts';

type Series = QueryMetricResult['series'][number];

/** A question to a source: its calls and the answer. */
interface Lookup {
  part: 'logs' | 'changes' | 'dependencies' | 'metrics' | 'services';
  calls(chat: Chat, target: Target, source: string, file: CaseFile): PlannedCall[];
  /** @returns an empty text if nothing was read */
  answer(file: CaseFile, target: Target, chat: Chat): string;
}

const MAX_SHOWN = 10;
const MAX_NAMED = 30;
const MAX_LINES = 10;
const LISTS = new Set(['list_sources', 'list_services']);
/** What tells whether a service is well. */
const VITAL = SIGNALS.filter(({ id }) => id === 'errors' || id === 'latency');

const LOOKUPS: Record<Exclude<LookupKind, 'alerts' | 'sources'>, Lookup> = {
  logs: {
    part: 'logs',
    calls({ question }, target, source) {
      const [text] = quotedIn(question.text);
      // A search for a text without a service means all services.
      const service = text === undefined || target.isNamed ? target.service : undefined;
      const level = text === undefined ? /\b(?:error|warn)/i.exec(question.text)?.[0].toLowerCase() : undefined;
      return [call('search_logs', { source, service, text, level, limit: MAX_LINES })];
    },
    answer: ({ logs }) => logLines(logs.at(-1)),
  },
  changes: {
    part: 'changes',
    // “What changed?” after an answer about one service means all services.
    calls: (_chat, { service, isNamed }, source) => [
      call('recent_changes', { source, service: isNamed ? service : undefined, limit: MAX_SHOWN }),
    ],
    answer: ({ changes }) => changeLines(changes.at(-1)),
  },
  dependencies: {
    part: 'dependencies',
    calls({ question }, target, source) {
      const service = serviceOf(target);
      const direction = directionIn(question.text);
      return service === undefined ? [] : [call('service_dependencies', { source, service, direction })];
    },
    answer: ({ dependencies }) => graph(dependencies),
  },
  metric: {
    part: 'metrics',
    calls(chat, target, source, file) {
      const service = serviceOf(target);
      if (service === undefined) return [];
      const { text } = chat.question;
      const [kind, metrics] = [target.choice.metrics?.kind ?? '', metricsOf(file, source, service) ?? []];
      const said = signalsIn(text);
      const signals = isAboutNow(text) ? [...new Set([...VITAL, ...said])] : said.slice(0, 1);
      const chosen = signals.flatMap((signal) => metricFor(signal, metrics, kind, statisticIn(text)) ?? []);
      const period = periodOf(chat, target);
      return [
        call('search_metrics', { source, service, limit: MAX_METRICS }),
        ...chosen.map(({ metric, statistic }) =>
          call('query_metric', { source, metric, statistic, service, ...period }),
        ),
      ];
    },
    answer: (file, target, { question: { text } }) =>
      paragraphs(isAboutNow(text) ? health(file, target) : '', seriesLines(file)) || metricList(file),
  },
  metrics: {
    part: 'metrics',
    calls: (_chat, { service }, source) => [call('search_metrics', { source, service, limit: MAX_METRICS })],
    answer: metricList,
  },
  services: {
    part: 'services',
    calls: () => [],
    answer: serviceList,
  },
};

export function lookupPlay(chat: Chat, of: LookupKind): Play {
  // What exists is listed once in a chat; which alerts fire changes.
  const listed = chat.earlierCalls.filter(({ tool, isError }) => !isError && LISTS.has(tool));
  const isAnew = of === 'alerts' || isAboutNow(chat.question.text);
  const file = openCase(isAnew ? chat.calls : [...listed, ...chat.calls]);
  return { next: () => nextCalls(chat, of, file), answer: () => answerFrom(chat, of, file) };
}

function nextCalls(chat: Chat, of: LookupKind, file: CaseFile): Turn | undefined {
  const list = call('list_sources', {});
  if (!file.sources) return wasMade(file, list) ? undefined : { text: 'Listing the telemetry sources.', calls: [list] };
  const target = of === 'alerts' || of === 'sources' ? undefined : targetOf(chat, file);
  if (!target || of === 'alerts' || of === 'sources') return undefined;
  const { services } = target.choice;
  const listing = call('list_services', { source: services?.id });
  if (services && has(chat, listing.name) && !wasMade(file, listing))
    return { text: `Listing the services of ${name(services.id)}.`, calls: [listing] };
  const lookup = LOOKUPS[of];
  const source = target.choice[lookup.part];
  if (target.unknown !== undefined || !source) return undefined;
  const calls = lookup.calls(chat, target, source.id, file).filter((one) => !wasMade(file, one));
  const whose = target.service === undefined ? '' : ` of ${name(target.service)}`;
  const text = `Reading the ${lookup.part}${whose} in ${name(source.id)}.`;
  return calls.length > 0 ? { text, calls } : undefined;
}

function answerFrom(chat: Chat, of: LookupKind, file: CaseFile): string {
  const failed = file.failures.at(-1);
  const target = targetOf(chat, file);
  if (!target) {
    if (failed) return `That could not be looked up: ${failed.tool} failed: ${failureOf(failed)}${cite(failed)}.`;
    return `No telemetry source can be read${cite(file.sources?.call)}. Set PROMETHEUS_URL for metrics, LOKI_URL for logs, or CASEBOOK_INCIDENTS_DIR for a folder of recorded incidents.`;
  }
  if (of === 'alerts') return alertList(file);
  if (of === 'sources') return sourceList(file);
  const { choice, unknown } = target;
  const lookup = LOOKUPS[of];
  if (unknown !== undefined)
    return paragraphs(`No service is called “${name(unknown)}” in ${name(choice.primary.id)}.`, serviceList(file));
  if (!choice[lookup.part])
    return isLive(choice.primary)
      ? `No source of ${lookup.part} is connected, so they are unknown${cite(file.sources?.call)}.`
      : `The recording ${name(choice.primary.id)} has no ${lookup.part}${cite(file.sources?.call)}.`;
  const text = lookup.answer(file, target, chat);
  if (text !== '') return text;
  return failed
    ? `That could not be read: ${failureOf(failed)}${cite(failed)}.`
    : `Nothing found. Name the service you mean.\n\n${serviceList(file)}`.trim();
}

function directionIn(question: string): ServiceDependenciesResult['direction'] {
  if (/\bblast radius\b|\b(?:affected|impacted|suffers?|impact)\b/i.test(question)) return 'impact';
  if (/\bdo(?:es)?\b[^.?!]*\b(?:depend|call|use|rely)|\bdownstream\b|\bdependencies\b/i.test(question))
    return 'downstream';
  return /\bupstream\b|\bcallers?\b|\bdepends? on\b|\b(?:who|what|which(?: services?)?)\s+(?:calls?|uses?)\b/i.test(
    question,
  )
    ? 'upstream'
    : 'downstream';
}

function changeLines(found: CaseFile['changes'][number] | undefined): string {
  if (!found) return '';
  const { result, call: made } = found;
  const service = given(made, 'service');
  const head = `${service === undefined ? '' : ` of ${name(service)}`} in ${name(result.source)}, ${period(result.window)}${cite(made)}`;
  const lines = result.changes.map((change) => {
    const whose = change.service ? ` of ${name(change.service)}` : '';
    return `${change.at}: ${name(change.kind)}${whose}: ${quote(change.summary, 160)} (${name(change.id)})${cite(made)}`;
  });
  return lines.length > 0 ? paragraphs(`**Changes**${head}:`, bullets(lines)) : `No changes${head}.`;
}

function seriesLines({ readings: all }: CaseFile): string {
  return paragraphs(...all.flatMap((found) => found.result.series.slice(0, 3).map((one) => seriesFacts(found, one))));
}

function seriesFacts({ call: made, result }: Found<QueryMetricResult>, one: Series): string {
  const { anomaly, unit, points, service, statistic } = one;
  const known = points.filter((point): point is [string, number] => point[1] !== null);
  const highest = known.toSorted((a, b) => b[1] - a[1])[0];
  const last = known.at(-1);
  const cited = cite(made);
  const metric = `${name(result.metric)}${statistic === undefined ? '' : ` (${name(statistic)})`}`;
  const head = `**${metric} of ${name(service)}** in ${name(result.source)}, ${period(result.window)}${cited}:`;
  return paragraphs(
    head,
    bullets([
      ...(anomaly.baseline_median === null ? [] : [`Baseline: ${quantity(anomaly.baseline_median, unit)}${cited}.`]),
      ...(highest ? [`Peak: ${quantity(highest[1], unit)} at ${clock(highest[0])}${cited}.`] : []),
      ...(last ? [`Last: ${quantity(last[1], unit)} at ${clock(last[0])}${cited}.`] : ['No samples in that period.']),
      isUnusual(one)
        ? `Anomalous${anomaly.onset ? ` since ${clock(anomaly.onset)}` : ''}${cited}.`
        : `Within its normal range${cited}.`,
    ]),
  );
}

function logLines(found: Found<SearchLogsResult> | undefined): string {
  if (!found) return '';
  const { call: made, result } = found;
  const service = given(made, 'service');
  const head = `of ${service === undefined ? 'all services' : name(service)} in ${name(result.source)}, ${period(result.window)}${cite(made)}`;
  if (result.matched === 0) return `No matching log lines ${head}.`;
  const lines = result.patterns.slice(0, MAX_SHOWN).map(({ pattern, count, level, first, last, services }) => {
    const start = pattern.split('<*>')[0]?.trim() ?? '';
    const whole = result.lines.find(({ message }) => start.length > 5 && message.startsWith(start))?.message ?? pattern;
    const when = count === 1 ? `once, at ${clock(first)}` : `${count} times from ${clock(first)} to ${clock(last)}`;
    const who = service === undefined ? `${listed(services.map(name), 3)}, ` : '';
    return `${who}${level ? `${name(level)}, ` : ''}${when}: ${quote(whole.split('\n')[0] ?? '', 200)}${cite(made)}`;
  });
  return paragraphs(`**Logs** ${head}:`, bullets(lines), result.truncated ? 'There are more lines.' : '');
}

function graph(found: Found<ServiceDependenciesResult> | undefined): string {
  if (!found) return '';
  const { call: made, result } = found;
  const { service, services, edges, direction } = result;
  const of = name(service);
  const cited = cite(made);
  const [none, some] = {
    downstream: [`${of} calls no other service`, `**${of} depends on** these services`],
    upstream: [`No service calls ${of}`, `**${of} is used by** these services`],
    impact: [
      `No service calls ${of}, so its failure affects nothing else`,
      `**When ${of} fails**, these services are affected`,
    ],
  }[direction];
  if (services.length === 0) return `${none}${cited}.`;
  const lines = services.slice(0, MAX_NAMED).map(({ name: other, path, depth }) => {
    const edge = edges.find(
      ({ caller, callee }) => [caller, callee].includes(service) && [caller, callee].includes(other),
    );
    const facts = [
      edge?.calls_per_second === undefined ? '' : quantity(edge.calls_per_second, 'calls/s'),
      edge?.error_ratio === undefined ? '' : `${quantity(edge.error_ratio, 'ratio')} errors`,
      edge?.p95_seconds === undefined ? '' : `p95 ${quantity(edge.p95_seconds, 's')}`,
    ].filter(Boolean);
    const way = direction === 'downstream' ? path : path.toReversed();
    const details = depth > 1 ? `, via ${way.map(name).join(' → ')}` : facts.length > 0 ? ` (${facts.join(', ')})` : '';
    return `${name(other)}${details}${cited}`;
  });
  return paragraphs(`${some}${cited}:`, bullets(lines));
}

function metricList({ metrics }: CaseFile): string {
  if (!metrics) return '';
  const { result, call: made } = metrics;
  const service = given(made, 'service');
  const of = service === undefined ? '' : ` of ${name(service)}`;
  const names = result.metrics.map(({ metric }) => name(metric));
  return names.length === 0
    ? `No metrics${of} in ${name(result.source)}${cite(made)}.`
    : `The metrics${of} in ${name(result.source)} are ${listed(names, MAX_NAMED)}${cite(made)}.`;
}

function serviceList({ services }: CaseFile): string {
  if (!services) return '';
  const names = services.result.services.map((service) => name(service.name));
  return `The services of ${name(services.result.source)} are ${listed(names, MAX_NAMED)}${cite(services.call)}.`;
}

export function sourceList({ sources }: CaseFile): string {
  const lines = workingSources(sources).map((source) => {
    const { id, title, window, capabilities } = source;
    const when = isLive(source) ? 'live' : `recorded ${window ? period(window) : ''}`;
    return `${name(id)}: ${quote(title, 100)}, ${when}; it has ${listed(capabilities)}${cite(sources?.call)}`;
  });
  return lines.length > 0 ? `These are the telemetry sources:\n\n${bullets(lines.slice(0, MAX_NAMED))}` : '';
}

function alertLines({ sources }: CaseFile, isAsked: (source: ListedSource, of: string) => boolean): string[] {
  const line = (source: ListedSource) => (alert: ListedSource['alerts'][number]) =>
    `${name(alert.name)} of ${name(alert.service)} at ${alert.at}, in ${name(source.id)}: ${quote(alert.summary, 140)}${cite(sources?.call)}`;
  return usableSources(sources).flatMap((source) =>
    source.alerts.filter(({ service }) => isAsked(source, service)).map(line(source)),
  );
}

function alertList(file: CaseFile): string {
  const lines = alertLines(file, () => true);
  const quiet = usableSources(file.sources).flatMap(({ alerts, id }) => (alerts.length === 0 ? [name(id)] : []));
  return paragraphs(
    quiet.length > 0 ? `No alerts are firing in ${listed(quiet, MAX_SHOWN)}${cite(file.sources?.call)}.` : '',
    lines.length > 0 ? 'These alerts fired (in a recorded incident, at the time of the recording):' : '',
    bullets(lines.slice(0, MAX_SHOWN)),
  );
}

/** Whether a service of a live source is well now: its alerts, and how its metrics are. */
function health(file: CaseFile, target: Target): string {
  const service = serviceOf(target);
  const { primary } = target.choice;
  if (!isLive(primary)) return `The recording ${name(primary.id)} does not show now${cite(file.sources?.call)}.`;
  if (service === undefined) return alertList(file);
  const series = file.readings.flatMap(({ result }) => result.series);
  const alerts = alertLines(file, (source, of) => isLive(source) && of === service);
  const isWell = alerts.length === 0 && !series.some(isUnusual);
  const verdict = !isWell
    ? 'is not healthy'
    : series.length > 0
      ? 'looks healthy'
      : 'has no data on errors and latency';
  const cited = cite(file.sources?.call, ...file.readings.map(({ call: made }) => made));
  return paragraphs(`**${name(service)} ${verdict} now**${cited}.`, bullets(alerts));
}

const isUnusual = ({ anomaly }: Series): boolean => Math.abs(anomaly.score) >= NOTABLE_SCORE;

function period({ from, to }: { from: string; to: string }): string {
  return `${name(from)} to ${name(to)}`;
}

function serviceOf({ service, choice }: Target): string | undefined {
  return service ?? choice.primary.alerts[0]?.service;
}
