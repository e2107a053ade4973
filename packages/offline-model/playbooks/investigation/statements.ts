/** Sentences about tool results, with citations. */
import {
  changeSentence as movement,
  clockTime,
  code,
  exhaustedPool,
  exhaustionSentence,
  sentence,
  word,
} from '@casebook/wording';
import type { CaseFile, Found } from './case-file.ts';
import { members, type Citations } from './citations.ts';
import type { ListedChange, RankedCause } from './conclusion.ts';
import type { LogFinding } from './log-evidence.ts';
import { quote } from '../wording.ts';

const SHORTLY_MS = 5 * 60_000;
/** Meanings of signals that people notice. */
const FELT = /^(?:errors|availability|latency)$/;

type Evidence = RankedCause['evidence'][number];

/** ``db`: p95 latency (`latency_seconds`) rose from 10 ms to 918 ms at 11:58:00 UTC [1].`` */
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
  const statement = evidence.statement.replace(/\.$/, '').replace(` in ${service} `, ' ');
  const isSubject = statement.startsWith(`${service} `);
  const said = isSubject ? statement.slice(service.length + 1) : statement;
  return `${code(service)}${isSubject ? '' : ':'} ${sentence(said)}${cited}${read}.`;
}

/** ``Error rate of `web` rose from 0 % to 14 % at 14:10:22 UTC [1].``: the alerting signal, else one that people notice; empty if there is none. */
export function feltSentence(file: CaseFile, citations: Citations, { service, signals }: RankedCause): string {
  const alerting = file.ranking?.result.alert.metric;
  const signal = signals.find(({ metric }) => metric === alerting) ?? signals.find(({ meaning }) => FELT.test(meaning));
  if (!signal) return '';
  const { baseline_median: before, incident_value: after, onset: at } = signal;
  const figures = members(signal, 'baseline_median', 'baseline_spread', 'incident_value', 'onset');
  const cited = citeReading(file, citations, service, signal) || citations.cite(file.ranking?.call, figures);
  return movement({ ...signal, service, before, after, at }, cited).replace(` (${code(signal.metric)})`, '');
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

/** `Strongest suspect of 6 services [1].` */
export function rankSentence(file: CaseFile, citations: Citations, cause: RankedCause): string {
  const place = cause.rank === 1 ? 'Strongest suspect' : `Suspect ${cause.rank}`;
  const of = file.ranking?.result.considered.services ?? 0;
  return `${place} of ${of} services${citeScores(file, citations, cause)}.`;
}

export function findingSentence(citations: Citations, service: string, finding: LogFinding): string {
  const { count, first } = finding.pattern;
  const [line = ''] = finding.text.split('\n');
  const when = count === 1 ? `at ${clockTime(first)}` : `${count} times since ${clockTime(first)}`;
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

/** @param onset adds the time; without it, the sentence stands beside its time */
export function changeSentence(
  citations: Citations,
  { change, source }: { change: ListedChange; source: Found<unknown> },
  onset?: string,
): string {
  const { at, service, summary } = change;
  const of = service ? ` of ${code(service)}` : '';
  const cited = citations.cite(source.call, members(change, 'summary'), members(change, 'id'));
  const lead = Date.parse(onset ?? '') - Date.parse(at);
  const soon = lead > 0 && lead <= SHORTLY_MS ? ', shortly before the onset' : '';
  const when = onset === undefined ? '' : ` at ${clockTime(at, onset)}${soon}`;
  return `${nameOfChange(change)}${of}${when}: ${quote(summary, 300)}${cited}.`;
}

/** ``Deployment `payments-41` ``; a commit has the abbreviated id that people know it by. */
export function nameOfChange({ id, kind, commit }: ListedChange): string {
  const what = word(kind);
  const known = kind === 'commit' && commit !== undefined ? commit.slice(0, 10) : id;
  return `${what.charAt(0).toUpperCase()}${what.slice(1)} ${code(known)}`;
}

export function citeScores({ ranking }: CaseFile, citations: Citations, cause: RankedCause): string {
  return citations.cite(ranking?.call, members(cause, 'service', 'score', 'own_score'), members(cause, 'service'));
}

export function citeEdge({ dependencies }: CaseFile, citations: Citations, path: string[]): string {
  const [caller = '', callee = ''] = path;
  return citations.cite(dependencies?.call, members({ caller, callee }, 'caller', 'callee'));
}
