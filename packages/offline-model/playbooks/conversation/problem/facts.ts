/** Single facts of a case in words, each with the numbers of the results that show it. */
import type { RankRootCausesResult } from '../../../../../src/features/tools/results.ts';
import type { Call } from '../../../transcript.ts';
import { pathBetween } from '../../investigation/call-paths.ts';
import type { CaseFile } from '../../investigation/case-file.ts';
import type { Conclusion, ListedChange, RankedCause } from '../../investigation/conclusion.ts';
import type { LogFinding } from '../../investigation/log-evidence.ts';
import type { SourceChoice } from '../../investigation/sources.ts';
import { quote } from '../../investigation/statements.ts';
import { cite, clock, measured, metricName, name, verbatim } from '../wording.ts';

export type Signal = RankRootCausesResult['causes'][number]['signals'][number];

/** What a kind of change is called in a sentence, where its own name is no noun of that sense. */
const KINDS: Record<string, string> = { config: 'configuration change', flag: 'flag change', scale: 'scaling' };

/** `latency (p95) of db went from 0.01 s to 0.9 s, 88 times its usual spread [4] [5]` */
export function signalFact(file: CaseFile, service: string, signal: Signal): string {
  const { score } = signal;
  return `${signalChange(file, service, signal)}, ${verbatim(score)} times its usual spread${citeSignal(file, service, signal)}`;
}

/** `latency (p95) of db went from 0.01 s to 0.9 s`, without its citation. */
export function signalChange(file: CaseFile, service: string, signal: Signal): string {
  const unit = reading(file, service, signal)?.unit;
  const from = verbatim(signal.baseline_median);
  return `${metricName(signal)} of ${name(service)} went from ${from} to ${measured(signal.incident_value, unit)}`;
}

export function citeSignal(file: CaseFile, service: string, signal: Signal): string {
  const { score, baseline_median, incident_value } = signal;
  const read = reading(file, service, signal)?.call;
  return cite(file.ranking?.call, holds(read, score, baseline_median, incident_value) ? read : undefined);
}

/** `db ranks first of 16 services by 156 series, with score 4.66; next comes mail with 1.2 [6]` */
export function rankFact(file: CaseFile, cause: RankedCause): string {
  const { ranking } = file;
  if (!ranking) return '';
  const { services, series } = ranking.result.considered;
  const next = ranking.result.causes.find(({ rank }) => rank === cause.rank + 1);
  const then = next ? `; next comes ${name(next.service)} with ${verbatim(next.score)}` : '';
  const place = ['first', 'second', 'third'][cause.rank - 1] ?? `at rank ${cause.rank}`;
  return `${name(cause.service)} ranks ${place} of ${services} services by ${series} series, with score ${verbatim(cause.score)}${then}${cite(ranking.call)}`;
}

/** `db logged 33 times from 16:41:18 on: "…" [8]` */
export function findingFact(service: string, { pattern, text, source }: LogFinding): string {
  const often =
    pattern.count === 1 ? `at ${clock(pattern.first)}` : `${pattern.count} times from ${clock(pattern.first)} on`;
  return `${name(service)} logged ${often}: ${quoteLine(text)}${cite(source.call)}`;
}

/** The first line: what follows it is a stack trace. */
export function quoteLine(text: string, limit = 180): string {
  return quote(text.split('\n')[0] ?? '', limit);
}

/** `the flag change of db at 16:40:17: "…" [9]` */
export function changeFact(change: ListedChange, call: Call): string {
  return `the ${changeOf(change)} at ${clock(change.at)}: ${quote(change.summary, 160)}${cite(call)}`;
}

/** The same without its time: `flag change of db: "…" [9]` */
export function changeWhat(change: ListedChange, call: Call): string {
  return `${changeOf(change)}: ${quote(change.summary, 160)}${cite(call)}`;
}

function changeOf(change: ListedChange): string {
  return `${changeName(change)}${change.service ? ` of ${name(change.service)}` : ''}`;
}

export function changeName({ kind }: Pick<ListedChange, 'kind'>): string {
  return KINDS[kind] ?? name(kind);
}

/** `the alert WebSlow of web fired at 16:43:40: "…" [1]` */
export function alertFact(file: CaseFile, { alert }: SourceChoice): string {
  if (!alert) return '';
  return `The alert ${name(alert.name)} of ${name(alert.service)} fired at ${clock(alert.at)}: ${quote(alert.summary, 160)}${cite(file.sources?.call)}`;
}

/** How the disturbance gets from the cause to the service with the symptom; empty when it is the same or there is no way. */
export function pathFact(file: CaseFile, { cause }: Conclusion): string {
  const felt = file.ranking?.result.alert.service;
  const path = felt !== undefined && cause ? pathBetween(file, felt, cause.service) : undefined;
  if (!path || felt === undefined) return '';
  const [signal] = file.ranking?.result.causes.find(({ service }) => service === felt)?.signals ?? [];
  const effect = signal ? `: ${signalChange(file, felt, signal)}${citeSignal(file, felt, signal)}` : '';
  return `${name(felt)} feels it through ${arrows(path)}${cite(file.dependencies?.call)}${effect}`;
}

export function arrows(path: readonly string[]): string {
  return path.map(name).join(' → ');
}

/** The last reading of a signal, with its unit. */
function reading(file: CaseFile, service: string, signal: Signal): { call: Call; unit?: string } | undefined {
  for (const { call, result } of file.readings.toReversed()) {
    if (result.metric !== signal.metric) continue;
    const series = result.series.find((one) => one.service === service && one.statistic === signal.statistic);
    if (series) return { call, unit: series.unit };
  }
  return undefined;
}

function holds(call: Call | undefined, ...values: (number | null)[]): boolean {
  return call !== undefined && values.every((value) => value !== null && call.body.includes(String(value)));
}
