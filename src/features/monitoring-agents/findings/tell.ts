import type { Orm } from '../../../db/orm.ts';
import { forTeam } from '../../../db/team-filter.ts';
import { mapConcurrently } from '../../../platform/concurrency.ts';
import type { Logger } from '../../../platform/logger.ts';
import { Finding } from '../entities.ts';
import type { FindingLauncher, ToldFinding } from './launch.ts';

/** Dependencies for notifying findings' workflows of changes. */
export interface FindingTeller {
  orm: Orm;
  log: Logger;
  launcher: FindingLauncher;
}

const WIDTH = 8;

/**
 * Notifies the workflows of changed findings, after the commit. Leaves what Temporal does not accept to the sweeper.
 */
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
        'could not notify the workflow of a finding; the sweeper will retry',
      );
    }
  });
}
