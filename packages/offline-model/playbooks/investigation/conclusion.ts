/**
 * Which service is at fault: the ranker's first, which reads metrics, spans and logs and whose confidence is measured. What
 * was read beyond it explains how the fault works and what to do. A change near the onset decides nothing: deploys are
 * frequent and mostly innocent.
 */
import type { RankRootCausesResult, RecentChangesResult } from '../../../../src/features/tools/results.ts';
import type { CaseFile, Found } from './case-file.ts';
import { newFindings, type LogFinding } from './log-evidence.ts';
import { namesIn } from './words.ts';

export type RankedCause = RankRootCausesResult['causes'][number];
export type ListedChange = RecentChangesResult['changes'][number];

/** Healthy series reach lower robust scores now and then. */
export const NOTABLE_SCORE = 3;
/** Such a score at half weight, as the ranker weighs indirect evidence. */
const QUIET = Math.log1p(NOTABLE_SCORE) / 2;
/** The ranker subtracts this much from causes that the alerting service does not depend on. */
const OUTSIDE = -10;
/** A change is near if it came at most this long before the onset … */
export const BEFORE_MS = 60 * 60_000;
/** … or this long after it: later changes are reactions. */
const AFTER_MS = 15 * 60_000;
/** Without a cause, a report is sure of nothing. */
const NO_CAUSE = 0.1;

export interface NearChange {
  change: ListedChange;
  source: Found<RecentChangesResult>;
}

export interface Conclusion {
  /** Absent if nothing is anomalous or could be ranked. */
  cause?: RankedCause;
  /** The ranker's. */
  confidence: number;
  /** ISO time. */
  onset?: string;
  findings: LogFinding[];
  /** The last change to the service before the onset. */
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

export function findingsOf(file: CaseFile, service: string): LogFinding[] {
  const others = knownServices(file).filter((other) => other !== service);
  return newFindings(file, service, onsetTime(file), others);
}

/** Disturbed services that the alerting service depends on, best first. */
export function anomalousCauses({ ranking }: CaseFile): RankedCause[] {
  return ranking?.result.causes.filter((cause) => isDisturbed(cause) && cause.score > OUTSIDE) ?? [];
}

/** Whether a service shows more than health does now and then. */
export function isDisturbed({ own_score, signals, evidence }: RankedCause): boolean {
  const moved = signals.some(
    ({ score, direction }) => (direction === 'either' ? Math.abs(score) : score) >= NOTABLE_SCORE,
  );
  const behaves = evidence.some(({ kind, strength }) => kind !== 'metric' && strength >= Math.log1p(NOTABLE_SCORE));
  return own_score >= QUIET && (moved || behaves);
}

/** When the alerting service's series moved or the strongest signal of the first cause did, the earlier. ISO time. */
export function onsetOf({ ranking }: CaseFile): string | undefined {
  const moved = [ranking?.result.onset, ranking?.result.causes[0]?.signals[0]?.onset];
  return moved
    .filter((at): at is string => typeof at === 'string' && !Number.isNaN(Date.parse(at)))
    .toSorted((a, b) => Date.parse(a) - Date.parse(b))
    .at(0);
}

/**
 * How long before the onset the fault may have begun, in seconds: the distance to the sample before it, in a series that
 * was read.
 */
export function onsetError({ readings }: CaseFile, onset: string): number {
  const at = Date.parse(onset);
  const gaps = readings.flatMap(({ result }) =>
    result.series.flatMap(({ points }) => {
      const index = points.findIndex(([time]) => Date.parse(time) >= at);
      const before = Date.parse(points[index - 1]?.[0] ?? '');
      return Number.isNaN(before) ? [] : [(at - before) / 1_000];
    }),
  );
  return gaps.length > 0 ? Math.min(...gaps) : 0;
}

/** The onset, or else the later alert, in milliseconds; NaN if neither is known. */
export function onsetTime(file: CaseFile): number {
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

/** Whether a change may be the cause. Estimates of the onset are often early; an alert never is. */
export function precedes(file: CaseFile, change: ListedChange): boolean {
  return Date.parse(change.at) <= latestCause(file);
}

/** What came later cannot be the cause, in milliseconds; NaN if it is not known. */
export function latestCause(file: CaseFile): number {
  const alert = Date.parse(file.ranking?.result.alert.at ?? '');
  return Number.isNaN(alert) ? onsetTime(file) : Math.max(alert, onsetTime(file));
}

export function conclude(file: CaseFile): Conclusion {
  const [cause] = anomalousCauses(file);
  const onset = onsetOf(file);
  if (!cause || !file.ranking) return { confidence: NO_CAUSE, onset, findings: [] };
  const change = changesNear(file)
    .filter((near) => near.change.service === cause.service && precedes(file, near.change))
    .toSorted((a, b) => Date.parse(b.change.at) - Date.parse(a.change.at))
    .at(0);
  const { confidence } = file.ranking.result;
  return { cause, confidence, onset, findings: findingsOf(file, cause.service), change };
}

export function namedByPeople(file: CaseFile, messages = file.messages): string[] {
  const known = knownServices(file);
  return [...new Set(messages.flatMap(({ text }) => namesIn(text, known)))];
}
