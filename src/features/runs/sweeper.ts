/**
 * Repairs what a crash between two systems leaves behind: rows committed but never started, cancellations that Temporal
 * did not accept, and runs that ended in Temporal without recording it.
 */
import type { FilterQuery } from '@mikro-orm/core';
import { anyTeam, forTeam } from '../../db/team-filter.ts';
import { OPEN } from './contract.ts';
import type { WorkflowState } from './control.ts';
import { Run } from './entities.ts';
import type { RunEnding, RunKindDefinition } from './kind.ts';
import { repairEach } from './repair.ts';
import { deliverCancel, launchRun, type RunServiceDeps } from './service.ts';

export interface SweepOptions {
  /** How long a row may wait for its start or its cancellation before the sweeper acts, ms. */
  graceMs: number;
  /** How long a run's row may stay unchanged before Temporal is asked about it, ms. */
  silenceMs: number;
  /** Maximum rows per repair in one sweep. */
  batch: number;
}

export const defaultSweep: SweepOptions = { graceMs: 3_000, silenceMs: 60_000, batch: 100 };

/**
 * Sweeps all teams' runs of one kind once; several workers may sweep at the same time. @returns how many rows it acted
 * on
 */
export async function sweepRuns<Row extends Run, Deps>(
  deps: RunServiceDeps<NoInfer<Row>> & NoInfer<Deps>,
  kind: RunKindDefinition<Row, Deps, never>,
  options: SweepOptions = defaultSweep,
): Promise<number> {
  const now = deps.clock.now().getTime();
  const graceEnd = new Date(now - options.graceMs);
  const silenceEnd = new Date(now - options.silenceMs);
  /** Repairs the rows that meet a condition, oldest first. */
  const repair = async (where: FilterQuery<Run>, work: (row: Row) => Promise<void>): Promise<number> => {
    const found = await deps.orm.em
      .fork()
      .find(
        Run,
        { $and: [{ kind: kind.kind, status: { $in: OPEN } }, where] },
        { ...anyTeam, limit: options.batch, orderBy: { createdAt: 'asc' } },
      );
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the ORM makes rows of the kind's own entity
    return repairEach(found as Row[], work, {
      log: deps.log,
      message: 'a run could not be repaired',
      facts: ({ id }) => ({ kind: kind.kind, id }),
    });
  };

  const unstarted = await repair({ startedAt: null, cancelRequestedAt: null, createdAt: { $lt: graceEnd } }, (row) =>
    launchRun(deps, row),
  );
  // A workflow remembers its cancellation; one that does not end is reminded occasionally.
  const reminded = { $or: [{ cancelRequestedAt: { $gte: silenceEnd } }, { updatedAt: { $lt: silenceEnd } }] };
  const uncancelled = await repair({ cancelRequestedAt: { $lt: graceEnd }, ...reminded }, async (row) => {
    await deliverCancel(deps, kind, row);
    await touch(deps, row);
  });
  const silent = await repair(
    { startedAt: { $ne: null }, cancelRequestedAt: null, updatedAt: { $lt: silenceEnd } },
    async (row) => {
      const state = await deps.launcher.state(row.id);
      // The transcript is in PostgreSQL: a run under the same id picks up the stored turns.
      if (state === 'missing' && kind.start) await launchRun(deps, row);
      else if (state !== 'running') await kind.finish(deps, row, lost(state));
      await touch(deps, row);
    },
  );
  return unstarted + uncancelled + silent;
}

function lost(state: Exclude<WorkflowState, 'running'>): RunEnding {
  if (state === 'missing') return { outcome: 'failed', explanation: 'Temporal no longer knows the run.' };
  return {
    outcome: state.closed === 'CANCELLED' ? 'cancelled' : 'failed',
    explanation: `The run ended in Temporal without recording its result (${state.closed.toLowerCase()}).`,
  };
}

/** Records that an open run was looked at. */
async function touch<Row extends Run>({ orm, clock }: RunServiceDeps<Row>, { id, teamId }: Row): Promise<void> {
  const em = forTeam(orm.em, teamId);
  await em.nativeUpdate(Run, { id, status: { $in: OPEN } }, { updatedAt: clock.now() });
}
