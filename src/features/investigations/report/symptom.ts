import { isRecorded } from '../../sources/index.ts';
import type { StoredEvidence } from '../../tools/index.ts';
import type { Symptom } from './schema.ts';
import { lastRanking } from './stored-results.ts';

/** The symptom that the run's last ranking explained; undefined if nothing was ranked. */
export function symptomOf(evidence: readonly StoredEvidence[]): Symptom | undefined {
  const ranked = lastRanking(evidence);
  if (!ranked) return undefined;
  const { alert, onset, symptom } = ranked.ranking;
  return {
    service: alert.service,
    since: onset ?? alert.at,
    ongoing: symptom?.ongoing ?? null,
    as_of: symptom?.as_of ?? null,
    recorded: ranked.stored.source !== undefined && isRecorded(ranked.stored.source),
  };
}
