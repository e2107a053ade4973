import type { QueryMetricResult } from '../../../../../src/features/tools/results.ts';
import type { CaseFile, Found } from '../../investigation/case-file.ts';
import { call } from '../../investigation/gather.ts';
import { chooseMetric } from '../../investigation/survey.ts';
import {
  bullets,
  cite,
  clock,
  day,
  failureOf,
  listed,
  measured,
  metricName,
  name,
  paragraphs,
  verbatim,
} from '../wording.ts';
import type { Lookup } from './lookup.ts';
import { assumed, incidentWindow, type Target } from './target.ts';

const MOST_METRICS = 50;
const MOST_SHOWN = 3;
const MOST_NAMED = 15;
/** A robust score below it is within what healthy series do now and then. */
const NOTABLE = 3;

export const metric: Lookup = {
  what: 'metrics',
  tool: 'query_metric',
  part: 'metrics',
  calls(chat, file, target, source) {
    const { window } = target;
    const service = serviceOf(target);
    if (service === undefined) return [];
    const search = call('search_metrics', { source, service, limit: MOST_METRICS });
    const period = Object.keys(window).length > 0 ? window : incidentWindow(chat, target);
    const queries = chosen(chat.question.text, file, service).map((one) =>
      call('query_metric', { source, ...one, service, ...period }),
    );
    return [search, ...queries];
  },
  answer(chat, file, target) {
    const { source } = target;
    const service = serviceOf(target);
    if (service === undefined) return `Name the service whose metric you mean, for one in ${name(source.id)}.`;
    const read = file.readings.filter(({ call }) => call.input['service'] === service);
    const shown = read
      .flatMap((found) => found.result.series.map((series) => describe(found, series)))
      .slice(0, MOST_SHOWN);
    if (shown.length > 0) return paragraphs(assumed(target), ...shown);
    const failed = file.failures.at(-1);
    if (failed)
      return paragraphs(assumed(target), `The metric could not be read: ${failureOf(failed)}${cite(failed)}.`);
    const empty = read[0];
    if (empty)
      return paragraphs(
        assumed(target),
        `${name(empty.result.metric)} of ${name(service)} has no samples in that time${cite(empty.call)}.`,
      );
    return paragraphs(assumed(target), metricList(file, service) || `I found no metric of ${name(service)} that fits.`);
  },
};

/** The metrics that were found for a service. */
export function metricList({ metrics }: CaseFile, service: string | undefined): string {
  if (!metrics) return '';
  const names = metrics.result.metrics.map((one) => name(one.metric));
  const of = service === undefined ? '' : ` of ${name(service)}`;
  if (names.length === 0) return `I find no metrics${of} in ${name(metrics.result.source)}${cite(metrics.call)}.`;
  return `The metrics${of} in ${name(metrics.result.source)} are ${listed(names, MOST_NAMED)}${cite(metrics.call)}.`;
}

function serviceOf({ service, source }: Target): string | undefined {
  return service ?? source.alerts[0]?.service;
}

/** The metrics that the question asks for, with the statistic it names: one for each part of it that names one. */
function chosen(question: string, file: CaseFile, service: string): { metric: string; statistic?: string }[] {
  const found = new Map<string, { metric: string; statistic?: string }>();
  for (const part of question.split(/\band\b|,/i)) {
    // `slow` and its like are said of latency; a part that names no metric fits none.
    const best = chooseMetric({ ...file, query: part }, { service, from: 'query' });
    const statistics = file.metrics?.result.metrics.find((one) => one.metric === best)?.statistics ?? [];
    if (best !== undefined && !found.has(best)) found.set(best, { metric: best, ...statisticIn(question, statistics) });
  }
  return [...found.values()].slice(0, MOST_SHOWN);
}

function statisticIn(question: string, statistics: readonly string[]): { statistic?: string } {
  const said = question
    .toLowerCase()
    .match(/\bp\d{2,3}\b|\bmean\b|\baverage\b|\bmedian\b|\bmax(?:imum)?\b|\bmin(?:imum)?\b/)?.[0];
  if (said === undefined) return {};
  const meant = { mean: 'average', median: 'p50', maximum: 'max', minimum: 'min' }[said] ?? said;
  const statistic = statistics.find((one) => one.toLowerCase() === meant);
  return statistic === undefined ? {} : { statistic };
}

function describe({ call, result }: Found<QueryMetricResult>, series: QueryMetricResult['series'][number]): string {
  const { anomaly, unit, points, service } = series;
  const known = points.filter((point): point is [string, number] => point[1] !== null);
  const highest = known.toSorted((a, b) => b[1] - a[1])[0];
  const lowest = known.toSorted((a, b) => a[1] - b[1])[0];
  const last = known.at(-1);
  const title = `**${metricName({ metric: result.metric, statistic: series.statistic })} of ${name(service)}** in ${name(result.source)}, ${day(result.window.from)} ${clock(result.window.from)} to ${clock(result.window.to)} UTC${cite(call)}:`;
  const facts = [
    ...(anomaly.baseline_median === null
      ? []
      : [
          `Usual: ${measured(anomaly.baseline_median, unit)} (median of ${clock(result.baseline.from)} to ${clock(result.baseline.to)})${cite(call)}.`,
        ]),
    ...(highest ? [`Highest: ${measured(highest[1], unit)} at ${clock(highest[0])}${cite(call)}.`] : []),
    ...(lowest && anomaly.direction !== 'up'
      ? [`Lowest: ${measured(lowest[1], unit)} at ${clock(lowest[0])}${cite(call)}.`]
      : []),
    ...(last ? [`Last: ${measured(last[1], unit)} at ${clock(last[0])}${cite(call)}.`] : []),
    Math.abs(anomaly.score) >= NOTABLE
      ? `That is ${verbatim(anomaly.score)} times its usual spread${anomaly.onset ? `, and it begins at ${clock(anomaly.onset)}` : ''}${cite(call)}.`
      : `That is within its usual spread (score ${verbatim(anomaly.score)})${cite(call)}.`,
  ];
  return paragraphs(title, bullets(facts));
}
