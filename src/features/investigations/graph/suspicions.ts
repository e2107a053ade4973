/** What an investigation holds against each service. */
import { clip } from '../../tools/index.ts';
import type { GraphInput } from './build.ts';
import type { ReadResults } from './results.ts';

export interface Suspicion {
  score: number | null;
  rank: number | null;
  reason: string | null;
  isAffected: boolean;
  isRuledOut: boolean;
  /** How likely the fault went through it, at least 0. */
  weight: number;
  /** Tool call ids by evidence number. */
  evidence: Map<number, string>;
}

interface Suspicions {
  suspect: string | null;
  /** The suspect comes from a ranking, not a report. */
  isTentative: boolean;
  alerting: string | null;
  /** The facts about a service, created on first mention. */
  of(name: string): Suspicion;
  /** Every mentioned service, greatest score first, then by name. */
  byScore(): string[];
}

const REASON_CHARACTERS = 400;
/** Below own evidence of a score of 3 (log scale) a service is quiet. */
const QUIET = Math.log1p(3);
/** What an alert adds to a service's weight: somebody decided beforehand that this is too much. */
const ALERTED = 2;

/** @param called every service that calls or is called */
export function suspicions(
  read: ReadResults,
  { report, looks }: Pick<GraphInput, 'report' | 'looks'>,
  called: Iterable<string>,
): Suspicions {
  const known = new Map<string, Suspicion>();
  const of = (name: string): Suspicion => {
    const found = known.get(name) ?? unsuspected();
    known.set(name, found);
    return found;
  };
  const says = (name: string, reason: string): void => void (of(name).reason ??= clip(reason, REASON_CHARACTERS));

  for (const name of called) of(name);

  // The last ranking knew more than those before.
  for (const { causes, alert, from } of read.rankings.toReversed()) {
    for (const { service, rank, score, own_score: own, signals, reason } of causes) {
      const one = of(service);
      one.evidence.set(from.evidence, from.toolCallId);
      if (one.rank !== null) continue;
      // What a fault passes through shows in metrics, whoever it is owed to.
      const [moved] = signals;
      const weight = moved ? Math.log1p(Math.abs(moved.score)) : Math.max(0, own);
      Object.assign(one, { rank, score, weight, isAffected: own >= QUIET });
      if (reason) says(service, reason);
    }
    if (alert) of(alert.service).evidence.set(from.evidence, from.toolCallId);
  }
  for (const { metric, series, from } of read.metrics) {
    for (const { service, anomaly } of series) {
      const one = of(service);
      one.isAffected = true;
      one.evidence.set(from.evidence, from.toolCallId);
      says(service, `${metric} deviates from its baseline since ${anomaly.onset}.`);
    }
  }
  const alerts = alertsOf(read);
  const alerted = new Set<string>();
  for (const { service, name, summary, from } of alerts) {
    const one = of(service);
    if (!alerted.has(service)) one.weight += ALERTED;
    alerted.add(service);
    one.isAffected = true;
    one.evidence.set(from.evidence, from.toolCallId);
    says(service, summary || name);
  }

  const alerting = read.rankings.findLast(({ alert }) => alert)?.alert?.service ?? alerts[0]?.service ?? null;
  const [first] = read.rankings.at(-1)?.causes.toSorted((a, b) => a.rank - b.rank) ?? [];
  const isTentative = report === null && first !== undefined;
  const named = report ? report.root_cause.service : (first?.service ?? null);
  const suspect = named === null ? null : (sameName(named, known.keys()) ?? named);
  if (suspect !== null) of(suspect);
  if (alerting !== null) of(alerting);

  for (const { service, toolCallId, evidence } of looks) known.get(service)?.evidence.set(evidence, toolCallId);
  for (const { verdict, statement, reasoning } of report?.hypotheses ?? []) {
    const [about] = verdict === 'ruled_out' ? namedIn(statement, known.keys()) : [];
    if (about === undefined || about === suspect) continue;
    Object.assign(of(about), { isRuledOut: true, reason: clip(reasoning || statement, REASON_CHARACTERS) });
  }
  if (suspect !== null && report) of(suspect).reason = clip(report.root_cause.statement, REASON_CHARACTERS);
  return { suspect, isTentative, alerting, of, byScore: () => [...known.keys()].sort(byScore(known)) };
}

/** The alerts of the queried sources; of all sources if none was queried. */
function alertsOf({ sources, rankings, dependencies, metrics }: ReadResults) {
  const asked = new Set([...rankings, ...dependencies, ...metrics].map(({ source }) => source));
  const last = sources.at(-1);
  return (last?.sources ?? [])
    .filter(({ id }, _, all) => asked.has(id) || all.length === 1)
    .flatMap(({ alerts }) => alerts.map((alert) => ({ ...alert, from: last!.from })));
}

function byScore(known: ReadonlyMap<string, Suspicion>): (a: string, b: string) => number {
  const scoreOf = (name: string): number => known.get(name)?.score ?? Number.NEGATIVE_INFINITY;
  return (a, b) => (scoreOf(a) === scoreOf(b) ? (a < b ? -1 : 1) : scoreOf(b) > scoreOf(a) ? 1 : -1);
}

function unsuspected(): Suspicion {
  return {
    score: null,
    rank: null,
    reason: null,
    isAffected: false,
    isRuledOut: false,
    weight: 0,
    evidence: new Map(),
  };
}

/** The service that a model means by a name, ignoring case and quotes. */
export function sameName(written: string, services: Iterable<string>): string | undefined {
  const wanted = plain(written);
  let alike: string | undefined;
  for (const service of services) {
    if (service === written) return service;
    if (plain(service) === wanted) alike ??= service;
  }
  return alike;
}

/** The services a text names as whole words, in order of first mention. */
export function namedIn(text: string, services: Iterable<string>): string[] {
  const lower = text.toLowerCase();
  const found: { service: string; at: number }[] = [];
  for (const service of services) {
    const at = wordAt(lower, service.toLowerCase());
    if (at !== undefined) found.push({ service, at });
  }
  return found.sort((a, b) => a.at - b.at || b.service.length - a.service.length).map(({ service }) => service);
}

function wordAt(text: string, word: string): number | undefined {
  for (let at = text.indexOf(word); at >= 0; at = text.indexOf(word, at + 1)) {
    const [before = ' ', after = ' '] = [text[at - 1], text[at + word.length]];
    // A hyphen or dot inside a name belongs to it; one that ends a sentence does not.
    const goesOn = /[\w-]/u.test(after) || (/[./]/u.test(after) && /\w/u.test(text[at + word.length + 1] ?? ' '));
    if (!/[\w./-]/u.test(before) && !goesOn) return at;
  }
  return undefined;
}

const plain = (name: string): string => name.replaceAll(/[`'"]/gu, '').trim().toLowerCase();
