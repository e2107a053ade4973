/**
 * Repairs what a crash between two systems leaves behind: rows that were committed and never started, cancellations
 * that Temporal did not take, and runs that ended in Temporal without recording their end.
 */
import type { EntityName, FilterQuery } from '@mikro-orm/core';
import type { EntityManager, Orm } from '../../db/orm.ts';
import { anyTeam, forTeam } from '../../db/team-filter.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Logger } from '../../platform/logger.ts';
import { OPEN, type RunKind } from './contract.ts';
import { Run } from './entities.ts';
import type { WorkflowState } from './control.ts';
import { repairEach } from './repair.ts';

/** What the row of every run has. */
export interface SweptRow {
  id: string;
  teamId: string;
  /** `processing` until the run has ended. */
  status: string;
  createdAt: Date;
  updatedAt: Date;
  /** Null until Temporal acknowledged the start. */
  startedAt: Date | null;
  cancelRequestedAt: Date | null;
}

/** A kind of run as the sweeper sees it. Every repair is idempotent: several workers may sweep at once. */
export interface SweptKind<Row extends SweptRow> {
  kind: RunKind;
  entity: EntityName<Row>;
  /** Starts the workflow and notes in the row that it was taken. @param em bound to the row's team */
  launch(row: Row, em: EntityManager): Promise<void>;
  /** Tells the workflow that it is to stop, or records the end of a run that has none. */
  deliverCancel(row: Row): Promise<void>;
  /** What Temporal knows of the row's workflow. */
  state(id: string): Promise<WorkflowState>;
  /** Records the end of a run whose workflow ended without doing so. */
  recordLost(row: Row, outcome: 'failed' | 'cancelled', explanation: string): Promise<void>;
}

export interface SweepDeps {
  orm: Orm;
  clock: Clock;
  log: Logger;
}

export interface SweepOptions {
  /** How long a row may wait for its start or its cancellation before the sweeper acts, ms. */
  graceMs: number;
  /** How long a run may be without a sign in its row before Temporal is asked about it, ms. */
  silenceMs: number;
  /** Most rows of each sort in one sweep. */
  batch: number;
}

export const defaultSweep: SweepOptions = { graceMs: 3_000, silenceMs: 60_000, batch: 100 };

/** One sweep over the runs of one kind, of all teams. @returns how many rows it acted on */
export async function sweepRuns<Row extends SweptRow>(
  deps: SweepDeps,
  kind: SweptKind<Row>,
  options: SweepOptions = defaultSweep,
): Promise<number> {
  const now = deps.clock.now().getTime();
  const graceEnd = new Date(now - options.graceMs);
  const silenceEnd = new Date(now - options.silenceMs);
  const entity = widened(kind.entity);
  /** Repairs the rows that meet a condition, the oldest first. */
  const repair = async (where: FilterQuery<SweptRow>, work: (row: Row) => Promise<void>): Promise<number> => {
    const found = await deps.orm.em
      .fork()
      .find(
        entity,
        { $and: [{ status: { $in: OPEN } }, where] },
        { ...anyTeam, limit: options.batch, orderBy: { createdAt: 'asc' } },
      );
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- rows of the kind's own entity
    return repairEach(found as Row[], work, {
      log: deps.log,
      message: 'a run could not be repaired',
      facts: ({ id }) => ({ kind: kind.kind, id }),
    });
  };

  const unstarted = await repair({ startedAt: null, cancelRequestedAt: null, createdAt: { $lt: graceEnd } }, (row) =>
    kind.launch(row, forTeam(deps.orm.em, row.teamId)),
  );
  // Each time the workflow is told it remembers: one that does not end is reminded once in a while.
  const reminded = { $or: [{ cancelRequestedAt: { $gte: silenceEnd } }, { updatedAt: { $lt: silenceEnd } }] };
  const uncancelled = await repair({ cancelRequestedAt: { $lt: graceEnd }, ...reminded }, async (row) => {
    await kind.deliverCancel(row);
    await touch(deps, kind, row);
  });
  const silent = await repair(
    { startedAt: { $ne: null }, cancelRequestedAt: null, updatedAt: { $lt: silenceEnd } },
    (row) => reconcile(deps, kind, row),
  );
  return unstarted + uncancelled + silent;
}

async function reconcile<Row extends SweptRow>(deps: SweepDeps, kind: SweptKind<Row>, row: Row): Promise<void> {
  const state = await kind.state(row.id);
  if (state !== 'running' && state !== 'missing') {
    const explanation = `The run ended in Temporal without recording its result (${state.closed.toLowerCase()}).`;
    return kind.recordLost(row, state.closed === 'CANCELLED' ? 'cancelled' : 'failed', explanation);
  }
  const em = forTeam(deps.orm.em, row.teamId);
  // The transcript is in PostgreSQL: a run under the same id takes the stored turns and goes on from there.
  if (state === 'missing') await kind.launch(row, em);
  await touch(deps, kind, row);
}

/** Notes that the run was looked after. */
async function touch<Row extends SweptRow>(deps: SweepDeps, kind: SweptKind<Row>, { id, teamId }: Row): Promise<void> {
  const em = forTeam(deps.orm.em, teamId);
  await em.nativeUpdate(Run, { id, status: { $in: OPEN } }, { updatedAt: deps.clock.now() });
}

/** The ORM's types are invariant; here a row is asked only for what the row of every run has. */
function widened<Row extends SweptRow>(entity: EntityName<Row>): EntityName<SweptRow> {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- see above
  return entity as unknown as EntityName<SweptRow>;
}
