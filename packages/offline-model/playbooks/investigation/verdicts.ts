/** What the evidence says about each suspect: decisions only, words are made elsewhere. */
import type { RecentChangesResult } from '../../../../src/features/tools/results.ts';
import type { CaseFile, Found } from './case-file.ts';
import { pathBetween } from './call-paths.ts';
import {
  anomalousCauses,
  changesNear,
  NOTABLE_SCORE,
  precedes,
  type Conclusion,
  type ListedChange,
  type RankedCause,
} from './conclusion.ts';

const MAX_SUSPECTS = 4;
const MAX_CHANGES = 6;

/**
 * `victim`: it depends on the cause, along `path`. `weaker`: its evidence is less than half of the cause's. `open`: it is
 * disturbed too, and nothing shows that the cause is the reason.
 */
export type ServiceVerdict = { rival: RankedCause } & (
  | { kind: 'victim'; path: string[] }
  | { kind: 'weaker' | 'open' }
);

/**
 * `later`: after the onset. `quiet`: its service shows no harmful change. `weaker`: its service has less than half of
 * the cause's evidence. `upstream`: its service only calls the cause, along `path`, without more traffic. `open`: what
 * was read does not exclude it.
 */
export type ChangeVerdict = {
  near: { change: ListedChange; source: Found<RecentChangesResult> };
  /** Its service in the ranking. */
  ranked?: RankedCause;
} & (
  | { kind: 'later' | 'quiet' | 'open' }
  | { kind: 'weaker'; ranked: RankedCause }
  | { kind: 'upstream'; path: string[] }
);

/** Other suspects, the alerting service and whatever a person named, without repeats. */
export function rivalsOf(file: CaseFile, cause: RankedCause, named: string[]): RankedCause[] {
  const causes = file.ranking?.result.causes ?? [];
  const alerting = file.ranking?.result.alert.service ?? '';
  const names = [
    ...anomalousCauses(file)
      .slice(0, MAX_SUSPECTS)
      .map(({ service }) => service),
    alerting,
    ...named,
  ];
  return [...new Set(names)]
    .filter((name) => name !== cause.service)
    .flatMap((name) => causes.find(({ service }) => service === name) ?? []);
}

export function judgeService(
  file: CaseFile,
  conclusion: Conclusion,
  cause: RankedCause,
  rival: RankedCause,
): ServiceVerdict {
  const path = pathBetween(file, rival.service, cause.service);
  if (path && !(rival.score > cause.score && conclusion.steps.length === 0)) return { rival, kind: 'victim', path };
  return { rival, kind: rival.own_score < cause.own_score / 2 ? 'weaker' : 'open' };
}

/** Changes near the onset that were not found guilty. */
export function judgeChanges(file: CaseFile, { cause, change: guilty }: Conclusion): ChangeVerdict[] {
  const anomalous = new Set(anomalousCauses(file).map(({ service }) => service));
  const sendsMore = cause?.signals.some(
    ({ meaning, score }) => meaning === 'traffic' && Math.abs(score) >= NOTABLE_SCORE,
  );
  return changesNear(file)
    .filter(({ change }) => change !== guilty?.change)
    .slice(0, MAX_CHANGES)
    .map((near): ChangeVerdict => {
      const { change } = near;
      const ranked = file.ranking?.result.causes.find(({ service }) => service === change.service);
      if (!precedes(file, change)) return { near, ranked, kind: 'later' };
      if (change.service && change.service !== cause?.service && !anomalous.has(change.service)) {
        return { near, ranked, kind: 'quiet' };
      }
      if (cause && ranked && ranked.service !== cause.service && ranked.own_score < cause.own_score / 2) {
        return { near, ranked, kind: 'weaker' };
      }
      const path = cause && change.service ? pathBetween(file, change.service, cause.service) : undefined;
      return path && !sendsMore ? { near, ranked, kind: 'upstream', path } : { near, ranked, kind: 'open' };
    });
}
