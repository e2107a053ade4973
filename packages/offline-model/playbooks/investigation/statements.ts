/** Sentences about tool results, with citations. */
import type { RankRootCausesResult } from '../../../../src/features/tools/results.ts';
import type { CaseFile, Found } from './case-file.ts';
import { members, type Citations } from './citations.ts';
import type { ListedChange, RankedCause } from './conclusion.ts';
import type { LogFinding } from './log-evidence.ts';
import { metricName, name, quote, verbatim } from '../wording.ts';

type Signal = RankRootCausesResult['causes'][number]['signals'][number];

/** "latency (p95) of payment went from 0.1 to 3.2, 40 times its usual spread" */
export function signalSentence(file: CaseFile, citations: Citations, service: string, signal: Signal): string {
  const change =
    `${metricName(signal)} of ${name(service)} went from ${verbatim(signal.baseline_median)} to ${verbatim(signal.incident_value)}, ` +
    `${verbatim(Math.abs(signal.score))} times its usual spread`;
  return `${change}${citeRanking(file, citations, service, signal)}${citeReading(file, citations, service, signal)}.`;
}

function citeRanking(file: CaseFile, citations: Citations, service: string, signal: Signal): string {
  const { ranking } = file;
  if (!ranking) return '';
  const whole = members(signal, 'score', 'baseline_median', 'baseline_spread', 'incident_value');
  const cause = ranking.result.causes.find((one) => one.service === service);
  return citations.cite(ranking.call, whole, members(signal, 'score'), cause ? members(cause, 'service', 'score') : '');
}

function citeReading(file: CaseFile, citations: Citations, service: string, signal: Signal): string {
  for (const { call, result } of file.readings.toReversed()) {
    if (result.metric !== signal.metric) continue;
    const series = result.series.find((one) => one.service === service && one.statistic === signal.statistic);
    const cited = series && citations.cite(call, members(series.anomaly, 'score', 'baseline_median'));
    if (cited) return cited;
  }
  return '';
}

export function rankSentence(ranking: Found<RankRootCausesResult>, citations: Citations, cause: RankedCause): string {
  const { services, series } = ranking.result.considered;
  const cited = citations.cite(
    ranking.call,
    members(cause, 'service', 'score', 'own_score'),
    members(cause, 'service'),
  );
  return `${name(cause.service)} ranks ${ordinal(cause.rank)} of ${services} services by ${series} series (score ${verbatim(cause.score)})${cited}.`;
}

export function findingSentence(citations: Citations, service: string, finding: LogFinding): string {
  const { pattern, source } = finding;
  const [line = ''] = finding.text.split('\n');
  const cited = citations.cite(
    source.call,
    members(pattern, 'pattern', 'count'),
    members(pattern, 'pattern'),
    JSON.stringify(finding.text).slice(1, -1).slice(0, 300),
  );
  return `${name(service)} logged since ${name(pattern.first)} ${pattern.count === 1 ? 'once' : `${pattern.count} times`}: ${quote(line, 200)}${cited}.`;
}

export function changeSentence(
  citations: Citations,
  { change, source }: { change: ListedChange; source: Found<unknown> },
  opening = 'The',
): string {
  const of = change.service ? ` of ${name(change.service)}` : '';
  const cited = citations.cite(source.call, members(change, 'summary'), members(change, 'id'));
  return `${opening} ${name(change.kind)}${of} at ${name(change.at)}: ${quote(change.summary, 300)}${cited}.`;
}

function ordinal(rank: number): string {
  return ['first', 'second', 'third'][rank - 1] ?? `${rank}th`;
}

export function citeScores({ ranking }: CaseFile, citations: Citations, cause: RankedCause): string {
  return citations.cite(ranking?.call, members(cause, 'service', 'score', 'own_score'));
}

export function citeEdge({ dependencies }: CaseFile, citations: Citations, path: string[]): string {
  const [caller = '', callee = ''] = path;
  return citations.cite(dependencies?.call, members({ caller, callee }, 'caller', 'callee'));
}
