/** Sentences about tool results, with citations. */
import { clockTime, code, exhaustedPool, exhaustionSentence, sentence, word } from '@casebook/wording';
import type { RankRootCausesResult } from '../../../../src/features/tools/results.ts';
import type { CaseFile, Found } from './case-file.ts';
import { members, type Citations } from './citations.ts';
import type { ListedChange, RankedCause } from './conclusion.ts';
import type { LogFinding } from './log-evidence.ts';
import { quote } from '../wording.ts';

const SHORTLY_MS = 5 * 60_000;

type Evidence = RankedCause['evidence'][number];

/** ``db`: 95th percentile latency (`latency_seconds`) rose from 10 ms to 918 ms at 11:58:00 UTC [1].`` */
export function evidenceSentence(
  file: CaseFile,
  citations: Citations,
  { service, signals }: RankedCause,
  evidence: Evidence,
): string {
  const cited = citations.cite(
    file.ranking?.call,
    members(evidence, 'kind', 'strength', 'statement'),
    members(evidence, 'statement'),
  );
  const [signal] = signals;
  const read = evidence.kind === 'metric' && signal ? citeReading(file, citations, service, signal) : '';
  return `${code(service)}: ${sentence(evidence.statement.replace(/\.$/, ''))}${cited}${read}.`;
}

function citeReading(
  file: CaseFile,
  citations: Citations,
  service: string,
  signal: RankedCause['signals'][number],
): string {
  for (const { call, result } of file.readings.toReversed()) {
    if (result.metric !== signal.metric) continue;
    const series = result.series.find((one) => one.service === service && one.statistic === signal.statistic);
    const cited = series && citations.cite(call, members(series.anomaly, 'score', 'baseline_median'));
    if (cited) return cited;
  }
  return '';
}

/** A resource that gave out, in figures, if the line holds them. */
export function exhaustionOf(citations: Citations, service: string, finding: LogFinding): string | undefined {
  const pool = exhaustedPool(finding.text);
  return pool && exhaustionSentence(code(service), pool, citeFinding(citations, finding));
}

export function rankSentence(ranking: Found<RankRootCausesResult>, citations: Citations, cause: RankedCause): string {
  const { services, series } = ranking.result.considered;
  const cited = citations.cite(
    ranking.call,
    members(cause, 'service', 'score', 'own_score'),
    members(cause, 'service'),
  );
  return `${code(cause.service)} ranks ${ordinal(cause.rank)} of ${services} services by ${series} series${cited}.`;
}

export function findingSentence(citations: Citations, service: string, finding: LogFinding): string {
  const { count, first } = finding.pattern;
  const [line = ''] = finding.text.split('\n');
  const when = count === 1 ? `at ${clockTime(first)}` : `${count} times from ${clockTime(first)} on`;
  return `${code(service)} logged ${when}: ${quote(line, 200)}${citeFinding(citations, finding)}.`;
}

function citeFinding(citations: Citations, { pattern, text, source }: LogFinding): string {
  return citations.cite(
    source.call,
    JSON.stringify(text).slice(1, -1).slice(0, 300),
    members(pattern, 'pattern', 'count'),
    members(pattern, 'pattern'),
  );
}

/** @param onset says when it came; without it, the sentence stands beside its time */
export function changeSentence(
  citations: Citations,
  { change, source }: { change: ListedChange; source: Found<unknown> },
  onset?: string,
): string {
  const { id, at, service, kind, summary } = change;
  const of = service ? ` of ${code(service)}` : '';
  const cited = citations.cite(source.call, members(change, 'summary'), members(change, 'id'));
  const fact = `${word(kind)} ${code(id)}${of}: ${quote(summary, 300)}${cited}.`;
  if (onset === undefined) return fact.charAt(0).toUpperCase() + fact.slice(1);
  const lead = Date.parse(onset) - Date.parse(at);
  const soon = lead > 0 && lead <= SHORTLY_MS ? ', shortly before the onset,' : '';
  return `At ${clockTime(at, onset)}${soon} came the ${fact}`;
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
