/**
 * Repairs what a crash between two systems leaves behind: rows that were committed and never started, cancellations
 * that Temporal did not take, and runs that ended in Temporal without recording their end.
 */
import { anyTeam, forTeam } from '../../db/team-filter.ts';
import type { EntityManager } from '../../db/orm.ts';
import { Investigation } from './entities.ts';
import { recordOutcome } from './run.ts';
import { deliverCancel, launch, type InvestigationServiceDeps } from './service.ts';

export interface SweepOptions {
  /** How long a row may wait for its start or its cancellation before the sweeper acts, ms. */
  graceMs: number;
  /** How long a run may be without a sign in its row before Temporal is asked about it, ms. */
  silenceMs: number;
  /** Most rows of each kind in one sweep. */
  batch: number;
}

export const defaultSweep: SweepOptions = { graceMs: 3_000, silenceMs: 60_000, batch: 100 };

/** One sweep over all teams. @returns how many rows it acted on */
export async function sweep(deps: InvestigationServiceDeps, options: SweepOptions = defaultSweep): Promise<number> {
  const now = deps.clock.now().getTime();
  const find = (where: object): Promise<Investigation[]> =>
    deps.orm.em
      .fork()
      .find(
        Investigation,
        { status: 'processing', ...where },
        { ...anyTeam, limit: options.batch, orderBy: { createdAt: 'asc' } },
      );
  const graceEnd = new Date(now - options.graceMs);

  const unstarted = await find({ startedAt: null, cancelRequestedAt: null, createdAt: { $lt: graceEnd } });
  for (const row of unstarted) await launch(deps, teamManager(deps, row), row);

  const uncancelled = await find({ cancelRequestedAt: { $lt: graceEnd } });
  for (const row of uncancelled) await deliverCancel(deps, row);

  const silent = await find({
    startedAt: { $ne: null },
    cancelRequestedAt: null,
    updatedAt: { $lt: new Date(now - options.silenceMs) },
  });
  for (const row of silent) await reconcile(deps, row);
  return unstarted.length + uncancelled.length + silent.length;
}

async function reconcile(deps: InvestigationServiceDeps, row: Investigation): Promise<void> {
  const { id: investigationId, teamId } = row;
  try {
    const state = await deps.launcher.state(investigationId);
    const em = teamManager(deps, row);
    if (state === 'missing') {
      // The transcript is in PostgreSQL: a run under the same id takes the stored turns and goes on from there.
      await launch(deps, em, row);
    } else if (state !== 'running') {
      const explanation = `The run ended in Temporal without recording its result (${state.closed.toLowerCase()}).`;
      const outcome = state.closed === 'CANCELLED' ? ('cancelled' as const) : ('failed' as const);
      await recordOutcome(deps, { investigationId, teamId, outcome, explanation });
      return;
    }
    await em.nativeUpdate(
      Investigation,
      { id: investigationId, status: 'processing' },
      { updatedAt: deps.clock.now() },
    );
  } catch (error) {
    deps.log.warn({ err: error, investigationId }, 'the state of a silent run could not be reconciled');
  }
}

function teamManager(deps: InvestigationServiceDeps, row: Investigation): EntityManager {
  return forTeam(deps.orm.em, row.teamId);
}
