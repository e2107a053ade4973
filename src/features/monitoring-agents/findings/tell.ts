import type { Orm } from '../../../db/orm.ts';
import { forTeam } from '../../../db/team-filter.ts';
import { mapConcurrently } from '../../../platform/concurrency.ts';
import type { Logger } from '../../../platform/logger.ts';
import { Finding } from '../entities.ts';
import type { FindingLauncher, ToldFinding } from './launch.ts';

/** What it takes to tell findings' workflows that something changed. */
export interface FindingTeller {
  orm: Orm;
  log: Logger;
  launcher: FindingLauncher;
}

const WIDTH = 8;

/** Tells the workflows of findings that were changed, after that was committed. What Temporal does not take is left to the sweeper. */
export async function tellFindings(deps: FindingTeller, findings: readonly ToldFinding[]): Promise<void> {
  await mapConcurrently(findings, WIDTH, async (finding) => {
    const { id, teamId, revision } = finding;
    try {
      await deps.launcher.tell(finding);
      const em = forTeam(deps.orm.em, teamId);
      await em.nativeUpdate(Finding, { id, toldRevision: { $lt: revision } }, { toldRevision: revision });
    } catch (error) {
      deps.log.warn(
        { err: error, findingId: id },
        'a finding could not be told to its workflow; the sweeper will repeat it',
      );
    }
  });
}
