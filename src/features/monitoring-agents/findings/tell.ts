import type { Orm } from '../../../db/orm.ts';
import { forTeam } from '../../../db/team-filter.ts';
import { mapConcurrently } from '../../../platform/concurrency.ts';
import type { Logger } from '../../../platform/logger.ts';
import { Finding } from '../entities.ts';
import type { FindingLauncher, ChangedFinding } from './launch.ts';

/** Dependencies for notifying findings' workflows of changes. */
export interface FindingNotifier {
  orm: Orm;
  log: Logger;
  launcher: FindingLauncher;
}

const WIDTH = 8;

/**
 * Notifies the workflows of changed findings, after the commit. Leaves what Temporal does not accept to the sweeper.
 */
export async function notifyFindings(deps: FindingNotifier, findings: readonly ChangedFinding[]): Promise<void> {
  await mapConcurrently(findings, WIDTH, async (finding) => {
    const { id, teamId, revision } = finding;
    try {
      await deps.launcher.notify(finding);
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
