/**
 * Which service is at fault, and how certain that is. The statistical ranking decides, with two corrections from logs:
 * 1. Follow the blame. If the new failures in a service's logs mostly name a service it calls, and that one is
 * anomalous with at least half of the caller's evidence (the share at which the ranker lets a callee explain its
 * caller), prefer the callee, and repeat. A service that blames a healthy callee keeps the blame: the fault is on its
 * side of the call.
 * 2. Break near ties. If the runner-up's score is within a factor of two of the leader's (ln 2, as scores are
 * logarithms), and only the runner-up logs that one of its resources gave out, prefer it.
 * A change near the onset decides nothing: deploys are frequent and mostly innocent. It only adds confidence.
 */
import type { RankRootCausesResult, RecentChangesResult } from '../../../../src/features/tools/results.ts';
import { pathBetween, type CaseFile, type Found } from './case-file.ts';
import { mainBlame, newFindings, type LogFinding } from './log-evidence.ts';
import { namesIn } from './words.ts';

export type RankedCause = RankRootCausesResult['causes'][number];
export type ListedChange = RecentChangesResult['changes'][number];

/** Healthy series reach lower robust scores now and then. */
export const NOTABLE_SCORE = 3;
/** Such a score at half weight, as the ranker weighs indirect evidence. */
const QUIET = Math.log1p(NOTABLE_SCORE) / 2;
const CALLEE_SHARE = 0.5;
const NEAR_TIE = Math.log(2);
/** The ranker subtracts this much from causes that the alerting service does not depend on. */
const OUTSIDE = -10;
/** A change is near if it came at most this long before the onset … */
const BEFORE_MS = 60 * 60_000;
/** … or this long after it: later changes are reactions. */
const AFTER_MS = 15 * 60_000;
const ONSET_TOLERANCE_MS = 60_000;

export interface NearChange {
  change: ListedChange;
  source: Found<RecentChangesResult>;
}

export interface Step {
  rule: 'blame' | 'near tie';
  from: string;
  to: string;
  finding: LogFinding;
  /** The service that logged it. */
  speaker: string;
}

export interface Conclusion {
  /** Absent if nothing is anomalous or could be ranked. */
  cause?: RankedCause;
  /** Departures from the ranking. */
  steps: Step[];
  confidence: number;
  /** ISO time. */
  onset?: string;
  findings: LogFinding[];
  /** A change to the service shortly before the onset. */
  change?: NearChange;
}

function knownServices({ services, dependencies, ranking }: CaseFile): string[] {
  return [
    ...new Set([
      ...(ranking?.result.causes.map((cause) => cause.service) ?? []),
      ...(dependencies?.result.edges.flatMap((edge) => [edge.caller, edge.callee]) ?? []),
      ...(services?.result.services.map((service) => service.name) ?? []),
    ]),
  ];
}

/**
 * The services that a service's logs can blame: everything it calls, directly or not, or any service without a graph.
 */
export function blameable(file: CaseFile, service: string): string[] {
  const edges = file.dependencies?.result.edges ?? [];
  if (edges.length === 0) return knownServices(file).filter((other) => other !== service);
  const reached = new Set([service]);
  for (const caller of reached) {
    for (const edge of edges) if (edge.caller === caller) reached.add(edge.callee);
  }
  reached.delete(service);
  return [...reached];
}

export function findingsOf(file: CaseFile, service: string): LogFinding[] {
  return newFindings(file, service, onsetTime(file), blameable(file, service));
}

/** Disturbed services that the alerting service depends on, best first. */
export function anomalousCauses({ ranking }: CaseFile): RankedCause[] {
  return ranking?.result.causes.filter((cause) => isDisturbed(cause) && cause.score > OUTSIDE) ?? [];
}

function isDisturbed({ own_score, signals }: RankedCause): boolean {
  const strongest = Math.max(
    ...signals.map(({ score, direction }) => (direction === 'either' ? Math.abs(score) : score)),
  );
  return own_score >= QUIET && strongest >= NOTABLE_SCORE;
}

/** ISO time. */
export function onsetOf({ ranking }: CaseFile): string | undefined {
  return ranking?.result.onset ?? ranking?.result.causes[0]?.signals.find(({ onset }) => onset)?.onset ?? undefined;
}

/** The onset, or else the later alert, in milliseconds; NaN if neither is known. */
function onsetTime(file: CaseFile): number {
  return Date.parse(onsetOf(file) ?? file.ranking?.result.alert.at ?? '');
}

export function changesNear(file: CaseFile): NearChange[] {
  const onset = onsetTime(file);
  const seen = new Set<string>();
  return file.changes.flatMap((source) =>
    source.result.changes
      .filter((change) => {
        const at = Date.parse(change.at);
        const near = at >= onset - BEFORE_MS && at <= onset + AFTER_MS;
        return near && !seen.has(change.id) && seen.add(change.id);
      })
      .map((change) => ({ change, source })),
  );
}

/** Whether a change is early enough to be the cause. */
export function precedes(file: CaseFile, change: ListedChange): boolean {
  return Date.parse(change.at) <= onsetTime(file) + ONSET_TOLERANCE_MS;
}

export function conclude(file: CaseFile): Conclusion {
  const candidates = anomalousCauses(file);
  const onset = onsetOf(file);
  const [first, second] = candidates;
  if (!first) return { steps: [], confidence: 0.1, onset, findings: [] };

  const steps: Step[] = [];
  let cause = first;
  if (second && first.score - second.score < NEAR_TIE) {
    const ownFault = findingsOf(file, second.service).find(({ kind }) => kind === 'resource');
    if (ownFault && !findingsOf(file, first.service).some(({ kind }) => kind === 'resource')) {
      steps.push({
        rule: 'near tie',
        from: first.service,
        to: second.service,
        finding: ownFault,
        speaker: second.service,
      });
      cause = second;
    }
  }
  const visited = new Set([cause.service]);
  for (let blame = blamedCause(cause); blame; blame = blamedCause(cause)) {
    steps.push({
      rule: 'blame',
      from: cause.service,
      to: blame.cause.service,
      finding: blame.finding,
      speaker: cause.service,
    });
    cause = blame.cause;
    visited.add(cause.service);
  }

  function blamedCause({ service, own_score }: RankedCause) {
    const blame = mainBlame(findingsOf(file, service));
    const next = blame && candidates.find((candidate) => candidate.service === blame.service);
    if (!next || visited.has(next.service) || next.own_score < CALLEE_SHARE * own_score) return undefined;
    return { cause: next, finding: blame.finding };
  }

  const findings = findingsOf(file, cause.service);
  const change = changesNear(file).find((near) => near.change.service === cause.service && precedes(file, near.change));
  const blamedByOthers = candidates.some(
    ({ service }) => mainBlame(findingsOf(file, service))?.service === cause.service,
  );
  // A service that depends on the cause is its victim, not a rival.
  const rivals = candidates.filter(({ service }) => !pathBetween(file, service, cause.service));
  const corroborated =
    (findings.some(({ kind }) => kind === 'resource') ? 0.15 : 0) + (change ? 0.1 : 0) + (blamedByOthers ? 0.1 : 0);
  return { cause, steps, onset, findings, change, confidence: confidence(cause, rivals, steps, corroborated) };
}

/**
 * The cause's share of the evidence (scores are logarithms), as far as statistics alone can be trusted, plus what logs
 * and changes add. Never certain.
 */
function confidence(cause: RankedCause, rivals: RankedCause[], steps: Step[], corroborated: number): number {
  const best = Math.max(...rivals.map(({ score }) => score));
  const weight = ({ score }: RankedCause) => Math.exp(score - best);
  const share = weight(cause) / rivals.reduce((sum, rival) => sum + weight(rival), 0);
  const statistics = steps.length > 0 ? Math.max(0.45, 0.7 * share) : 0.2 + 0.5 * share;
  return Math.round(Math.min(0.95, statistics + corroborated) * 100) / 100;
}

export function namedByPeople(file: CaseFile, messages = file.messages): string[] {
  const known = knownServices(file);
  return [...new Set(messages.flatMap(({ text }) => namesIn(text, known)))];
}
