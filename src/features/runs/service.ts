/** Commits, launches and cancels runs, whatever their kind. */
import type { EntityManager, Orm } from '../../db/orm.ts';
import { forTeam } from '../../db/team-filter.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Logger } from '../../platform/logger.ts';
import { Run } from './entities.ts';
import type { RunKindDefinition } from './kind.ts';
import type { RunLauncher } from './launch.ts';

/** What it takes to start and control runs of a kind. */
export interface RunServiceDeps<Row extends Run> {
  orm: Orm;
  clock: Clock;
  log: Logger;
  launcher: RunLauncher<Row>;
}

/** The explanation when nobody gave a reason. */
export const CANCELLED_BY_USER = 'Somebody asked for it to stop.';

/** Starts the workflow of a committed run and notes that Temporal took it; a failure is left to the sweeper. */
export async function launchRun<Row extends Run>(deps: RunServiceDeps<Row>, row: Row): Promise<void> {
  const { id, teamId, kind } = row;
  try {
    await deps.launcher.start(row);
    const startedAt = deps.clock.now();
    const em = forTeam(deps.orm.em, teamId);
    await em.nativeUpdate(Run, { id, startedAt: null }, { startedAt, updatedAt: startedAt });
  } catch (error) {
    deps.log.warn({ err: error, kind, runId: id }, 'the start of a run was not taken; the sweeper will repeat it');
  }
}

/** Asks an open run to stop, and its calls in flight with it. Asking twice is the same as asking once. */
export async function cancelRun<Row extends Run, Deps>(
  deps: RunServiceDeps<NoInfer<Row>> & NoInfer<Deps>,
  kind: RunKindDefinition<Row, Deps, never>,
  em: EntityManager,
  row: Row,
): Promise<void> {
  row.cancelRequestedAt ??= deps.clock.now();
  await em.flush();
  await deliverCancel(deps, kind, row);
}

/** Signals the workflow; a run that has none is recorded as cancelled at once. A failure is left to the sweeper. */
export async function deliverCancel<Row extends Run, Deps>(
  deps: RunServiceDeps<NoInfer<Row>> & NoInfer<Deps>,
  kind: RunKindDefinition<Row, Deps, never>,
  row: Row,
): Promise<void> {
  try {
    if (await deps.launcher.cancel(row.id, CANCELLED_BY_USER)) return;
    await kind.finish(deps, row, { outcome: 'cancelled', explanation: CANCELLED_BY_USER });
  } catch (error) {
    const facts = { kind: kind.kind, runId: row.id };
    deps.log.warn({ err: error, ...facts }, 'the cancellation of a run was not taken; the sweeper will repeat it');
  }
}
