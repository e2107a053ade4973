/** Questions that one or two calls answer. */
import type {
  QueryMetricResult,
  SearchLogsResult,
  ServiceDependenciesResult,
} from '../../../../src/features/tools/results.ts';
import type { PlannedCall, Turn } from '../../decide.ts';
import { openCase, type CaseFile, type Found } from '../investigation/case-file.ts';
import { NOTABLE_SCORE } from '../investigation/conclusion.ts';
import { isLive, usableSources, type ListedSource } from '../investigation/sources.ts';
import { MAX_METRICS } from '../investigation/survey.ts';
import { metricsOf } from '../telemetry.ts';
import { metricFor, quotedIn, signalsIn, statisticIn } from '../reading.ts';
import { has, type Chat, type Play } from './chat.ts';
import type { LookupKind } from './intent.ts';
import { targetOf, type Target } from './target.ts';
import { call, given, wasMade } from '../calls.ts';
import {
  bullets,
  cite,
  clock,
  failureOf,
  listed,
  measured,
  metricName,
  name,
  paragraphs,
  quote,
  verbatim,
} from '../wording.ts';

/** A question to a source: its calls and the answer. */
interface Lookup {
  part: 'logs' | 'changes' | 'dependencies' | 'metrics' | 'services';
  calls(chat: Chat, target: Target, source: string, file: CaseFile): PlannedCall[];
  /** @returns an empty text if nothing was read */
  answer(file: CaseFile): string;
}

const MAX_SHOWN = 10;
const MAX_NAMED = 30;
const MAX_LINES = 10;
const LISTS = new Set(['list_sources', 'list_services']);

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
    calls({ question }, target, source, file) {
      const service = serviceOf(target);
      if (service === undefined) return [];
      const search = call('search_metrics', { source, service, limit: MAX_METRICS });
      const [signal] = signalsIn(question.text);
      const metrics = metricsOf(file, source, service) ?? [];
      const chosen =
        signal && metricFor(signal, metrics, target.choice.metrics?.kind ?? '', statisticIn(question.text));
      if (!chosen) return [search];
      const { metric, statistic } = chosen;
      return [search, call('query_metric', { source, metric, statistic, service })];
    },
    answer: (file) =>
      paragraphs(
        ...file.readings.flatMap((found) => found.result.series.slice(0, 3).map((one) => series(found, one))),
      ) || metricList(file),
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
  const file = openCase(of === 'alerts' ? chat.calls : [...listed, ...chat.calls]);
  return { next: () => nextCalls(chat, of, file), answer: () => answerFrom(chat, of, file) };
}

function nextCalls(chat: Chat, of: LookupKind, file: CaseFile): Turn | undefined {
  const list = call('list_sources', {});
  if (!file.sources)
    return wasMade(file, list) ? undefined : { text: 'I look up the telemetry sources.', calls: [list] };
  const target = of === 'alerts' || of === 'sources' ? undefined : targetOf(chat, file);
  if (!target || of === 'alerts' || of === 'sources') return undefined;
  const { services } = target.choice;
  const listing = call('list_services', { source: services?.id });
  if (services && has(chat, listing.name) && !wasMade(file, listing))
    return { text: `I list the services of ${name(services.id)}.`, calls: [listing] };
  const lookup = LOOKUPS[of];
  const source = target.choice[lookup.part];
  if (target.unknown !== undefined || !source) return undefined;
  const calls = lookup.calls(chat, target, source.id, file).filter((one) => !wasMade(file, one));
  const whose = target.service === undefined ? '' : ` of ${name(target.service)}`;
  const text = `I look at the ${lookup.part}${whose} in ${name(source.id)}.`;
  return calls.length > 0 ? { text, calls } : undefined;
}

function answerFrom(chat: Chat, of: LookupKind, file: CaseFile): string {
  const failed = file.failures.at(-1);
  const target = targetOf(chat, file);
  if (!target) {
    if (failed) return `I cannot look that up: ${failed.tool} failed: ${failureOf(failed)}${cite(failed)}.`;
    return `I cannot look that up, because no telemetry source can be read${cite(file.sources?.call)}. Set PROMETHEUS_URL for metrics, LOKI_URL for logs, or CASEBOOK_INCIDENTS_DIR for a folder of recorded incidents.`;
  }
  if (of === 'alerts') return alertList(file);
  if (of === 'sources') return sourceList(file);
  const { choice, unknown } = target;
  const lookup = LOOKUPS[of];
  if (unknown !== undefined)
    return paragraphs(`I know no service called “${name(unknown)}” in ${name(choice.primary.id)}.`, serviceList(file));
  if (!choice[lookup.part])
    return `${name(choice.primary.id)} has no ${lookup.part} to look at${cite(file.sources?.call)}.`;
  const text = lookup.answer(file);
  if (text !== '') return text;
  return failed
    ? `That could not be read: ${failureOf(failed)}${cite(failed)}.`
    : `I found nothing to read. Name the service you mean.\n\n${serviceList(file)}`.trim();
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
  return lines.length > 0 ? paragraphs(`**Changes**${head}:`, bullets(lines)) : `No changes${head} are recorded.`;
}

function series({ call: made, result }: Found<QueryMetricResult>, one: QueryMetricResult['series'][number]): string {
  const { anomaly, unit, points, service, statistic } = one;
  const known = points.filter((point): point is [string, number] => point[1] !== null);
  const highest = known.toSorted((a, b) => b[1] - a[1])[0];
  const last = known.at(-1);
  const cited = cite(made);
  const head = `**${metricName({ metric: result.metric, ...(statistic !== undefined && { statistic }) })} of ${name(service)}** in ${name(result.source)}, ${period(result.window)}${cited}:`;
  const isUnusual = Math.abs(anomaly.score) >= NOTABLE_SCORE;
  return paragraphs(
    head,
    bullets([
      ...(anomaly.baseline_median === null ? [] : [`Usual: ${measured(anomaly.baseline_median, unit)}${cited}.`]),
      ...(highest ? [`Highest: ${measured(highest[1], unit)} at ${clock(highest[0])}${cited}.`] : []),
      ...(last
        ? [`Last: ${measured(last[1], unit)} at ${clock(last[0])}${cited}.`]
        : ['It has no samples in that period.']),
      isUnusual
        ? `It is outside its usual range${anomaly.onset ? ` since ${clock(anomaly.onset)}` : ''}${cited}.`
        : `It is within its usual range${cited}.`,
    ]),
  );
}

function logLines(found: Found<SearchLogsResult> | undefined): string {
  if (!found) return '';
  const { call: made, result } = found;
  const service = given(made, 'service');
  const head = `of ${service === undefined ? 'all services' : name(service)} in ${name(result.source)}, ${period(result.window)}${cite(made)}`;
  if (result.matched === 0) return `I found no such log line ${head}.`;
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
      ...(edge?.calls_per_second === undefined ? [] : [`${verbatim(edge.calls_per_second)} calls/s`]),
      ...(edge?.error_ratio === undefined ? [] : [`error ratio ${verbatim(edge.error_ratio)}`]),
      ...(edge?.p95_seconds === undefined ? [] : [`p95 ${verbatim(edge.p95_seconds)} s`]),
    ];
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
    ? `I found no metrics${of} in ${name(result.source)}${cite(made)}.`
    : `The metrics${of} in ${name(result.source)} are ${listed(names, MAX_NAMED)}${cite(made)}.`;
}

function serviceList({ services }: CaseFile): string {
  if (!services) return '';
  const names = services.result.services.map((service) => name(service.name));
  return `The services of ${name(services.result.source)} are ${listed(names, MAX_NAMED)}${cite(services.call)}.`;
}

export function sourceList({ sources }: CaseFile): string {
  const lines = usableSources(sources).map((source) => {
    const { id, title, window, capabilities } = source;
    const when = isLive(source) ? 'live' : `recorded ${window ? period(window) : ''}`;
    return `${name(id)}: ${quote(title, 100)}, ${when}; it has ${listed(capabilities)}${cite(sources?.call)}`;
  });
  return lines.length > 0 ? `These are the telemetry sources:\n\n${bullets(lines.slice(0, MAX_NAMED))}` : '';
}

function alertList({ sources }: CaseFile): string {
  const cited = cite(sources?.call);
  const usable = usableSources(sources);
  const line = (source: ListedSource) => (alert: ListedSource['alerts'][number]) =>
    `${name(alert.name)} of ${name(alert.service)} at ${alert.at}, in ${name(source.id)}: ${quote(alert.summary, 140)}${cited}`;
  const lines = usable.flatMap((source) => source.alerts.map(line(source)));
  const quiet = usable.filter(({ alerts }) => alerts.length === 0).map(({ id }) => name(id));
  return paragraphs(
    quiet.length > 0 ? `No alerts are firing in ${listed(quiet, MAX_SHOWN)}${cited}.` : '',
    lines.length > 0 ? 'These alerts fired (in a recorded incident, at the time of the recording):' : '',
    bullets(lines.slice(0, MAX_SHOWN)),
  );
}

function period({ from, to }: { from: string; to: string }): string {
  return `${name(from)} to ${name(to)}`;
}

function serviceOf({ service, choice }: Target): string | undefined {
  return service ?? choice.primary.alerts[0]?.service;
}
