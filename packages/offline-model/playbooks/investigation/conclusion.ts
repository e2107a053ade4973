/**
 * Which service is at fault, and how sure that is. The statistical ranking decides, with two corrections from logs:
 *
 * 1. Follow the blame. When the new failures in a service's logs mostly name a service it calls, and that one is
 *    anomalous with at least half of the caller's evidence (the share by which the ranker itself lets a callee explain
 *    its caller), then the callee is preferred, and the question is asked again of it. A service that names a healthy
 *    callee keeps the blame: then the fault is on its side of the call.
 * 2. Decide near ties. When the runner-up's score is within a factor of two of the leader's (ln 2, the scores being
 *    logarithms) and only the runner-up logs that a resource of its own gave out, it is preferred.
 *
 * A change near the onset decides nothing by itself: deploys are frequent and mostly innocent. It only adds confidence
 * when the evidence points to the same service.
 */
import type { RankRootCausesResult, RecentChangesResult } from '../../../../src/features/tools/results.ts';
import type { CaseFile, Found } from './case-file.ts';
import { pathBetween } from './call-paths.ts';
import { mainBlame, newFindings, type LogFinding } from './log-evidence.ts';

export type RankedCause = RankRootCausesResult['causes'][number];
export type ListedChange = RecentChangesResult['changes'][number];

/** A robust score below it is within what healthy series do now and then. */
export const NOTABLE_SCORE = 3;
/** Evidence of such a score at half weight, which is what the ranker gives to evidence that is only indirect. */
const QUIET = Math.log1p(NOTABLE_SCORE) / 2;
const CALLEE_SHARE = 0.5;
const NEAR_TIE = Math.log(2);
/** Causes the alerting service does not depend on are ranked with a large malus. */
const OUTSIDE = -10;
/** A change counts as near when it came at most this long before the onset … */
const BEFORE_MS = 60 * 60_000;
/** … or this long after it: later ones are reactions to the incident, if anything. */
const AFTER_MS = 15 * 60_000;
/** An onset may be misjudged by this much. */
const ONSET_TOLERANCE_MS = 60_000;

/** A change near the onset, with where it was listed. */
export interface NearChange {
  change: ListedChange;
  source: Found<RecentChangesResult>;
}

export interface Step {
  rule: 'blame' | 'near tie';
  from: string;
  to: string;
  finding: LogFinding;
  /** The service whose logs the finding is from. */
  speaker: string;
}

export interface Conclusion {
  /** Undefined: nothing is anomalous, or nothing could be ranked. */
  cause?: RankedCause;
  /** How it departs from the ranking's first place. */
  steps: Step[];
  confidence: number;
  /** ISO time. */
  onset?: string;
  findings: LogFinding[];
  /** The change on the service shortly before the onset. */
  change?: NearChange;
}

/** Names of every service known from rankings, dependencies and lists. */
export function knownServices({ services, dependencies, ranking }: CaseFile): string[] {
  return [
    ...new Set([
      ...(ranking?.result.causes.map((cause) => cause.service) ?? []),
      ...(dependencies?.result.edges.flatMap((edge) => [edge.caller, edge.callee]) ?? []),
      ...(services?.result.services.map((service) => service.name) ?? []),
    ]),
  ];
}

/**
 * Whom a service's logs can blame: what it calls, however far down. A callee that names its caller blames nobody. Without
 * a graph it may be any service.
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

/** The new findings in a service's logs. */
export function findingsOf(file: CaseFile, service: string): LogFinding[] {
  return newFindings(file, service, onsetTime(file), blameable(file, service));
}

/** Causes with evidence of their own that the alerting service depends on, best first. */
export function anomalousCauses({ ranking }: CaseFile): RankedCause[] {
  return ranking?.result.causes.filter((cause) => isDisturbed(cause) && cause.score > OUTSIDE) ?? [];
}

function isDisturbed({ own_score, signals }: RankedCause): boolean {
  const strongest = Math.max(
    ...signals.map(({ score, direction }) => (direction === 'either' ? Math.abs(score) : score)),
  );
  return own_score >= QUIET && strongest >= NOTABLE_SCORE;
}

/** When it began, ISO time: the ranking's onset, else that of the first cause's signals; undefined when none was found. */
export function onsetOf({ ranking }: CaseFile): string | undefined {
  return ranking?.result.onset ?? ranking?.result.causes[0]?.signals.find(({ onset }) => onset)?.onset ?? undefined;
}

/** The onset or, where none was found, the alert, which comes after it; unix milliseconds, NaN when nothing is known. */
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

/** Whether a change came early enough to have caused what began at the onset. */
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
  // A service that depends on the cause is its victim and does not compete with it.
  const rivals = candidates.filter(({ service }) => !pathBetween(file, service, cause.service));
  const corroborated =
    (findings.some(({ kind }) => kind === 'resource') ? 0.15 : 0) + (change ? 0.1 : 0) + (blamedByOthers ? 0.1 : 0);
  return { cause, steps, onset, findings, change, confidence: confidence(cause, rivals, steps, corroborated) };
}

/**
 * The cause's share of the evidence (scores are logarithms, so evidence is their exponential) as far as statistics alone
 * can be trusted, plus what logs and changes add, within bounds that say: never certain, rarely hopeless.
 */
function confidence(cause: RankedCause, rivals: RankedCause[], steps: Step[], corroborated: number): number {
  const best = Math.max(...rivals.map(({ score }) => score));
  const weight = ({ score }: RankedCause) => Math.exp(score - best);
  const share = weight(cause) / rivals.reduce((sum, rival) => sum + weight(rival), 0);
  const statistics = steps.length > 0 ? Math.max(0.45, 0.7 * share) : 0.2 + 0.5 * share;
  return Math.round(Math.min(0.95, statistics + corroborated) * 100) / 100;
}
