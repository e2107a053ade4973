/** Commits, launches, cancels, repairs and deletes runs of every kind. */
import { createHash } from 'node:crypto';
import { UniqueConstraintViolationException, type FilterQuery } from '@mikro-orm/core';
import { deleteInParts } from '../../db/delete-in-parts.ts';
import type { EntityManager, Orm } from '../../db/orm.ts';
import { forTeam, anyTeam } from '../../db/team-filter.ts';
import { Conflict, idempotencyKeyReused } from '../../http/errors.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Logger } from '../../platform/logger.ts';
import { mapConcurrently } from '../../platform/concurrency.ts';
import { type RunKind, OPEN } from './contract.ts';
import { Approval, Run } from './entities.ts';
import type { RunKindDefinition, RunEnding } from './kind.ts';
import type { RunLauncher, WorkflowState } from './launch.ts';

/** Dependencies for starting and controlling runs. */
export interface RunServiceDeps<Row extends Run> {
  orm: Orm;
  clock: Clock;
  log: Logger;
  launcher: RunLauncher<Row>;
}

/** The default explanation. */
export const CANCELLED_BY_USER = 'Stopped on request.';

/** The digest by which a repeated request is recognized. */
export const requestDigest = (request: string): string => createHash('sha256').update(request).digest('base64url');

/**
 * Commits the rows of a run, once per idempotency key.
 * @param em bound to the actor's team
 * @param request.digest `commit` stores it with the run, like the key
 * @param commit called in a transaction
 * @returns the new run, or the earlier one with the same key
 * @throws {Conflict} if the key was used with another request
 */
export async function commitOnce<Row extends Run>(
  em: EntityManager,
  kind: RunKind,
  { key, digest }: { key: string | undefined; digest: string },
  commit: (tx: EntityManager) => Promise<Row>,
): Promise<Row> {
  const earlier = async (): Promise<Row | null> => {
    if (key === undefined) return null;
    const found = await em.fork({ keepTransactionContext: false }).findOne(Run, { kind, idempotencyKey: key });
    if (found && found.requestDigest !== digest) throw idempotencyKeyReused();
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the ORM makes rows of the kind's own entity
    return found as Row | null;
  };
  const found = await earlier();
  if (found) return found;
  try {
    return await em.transactional(commit);
  } catch (error) {
    if (!(error instanceof UniqueConstraintViolationException || error instanceof Conflict)) throw error;
    // Concurrent requests with one key: the other one was faster.
    const winner = await earlier();
    if (!winner) throw error;
    return winner;
  }
}

/** Starts the workflow of a committed run and records that Temporal accepted it; the sweeper retries a failure. */
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

/** Cancels an open run and its in-flight calls. Idempotent. */
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

/** Signals the workflow; a run without one is recorded as cancelled at once. The sweeper retries a failure. */
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

/** Deletes the runs of conversations with their approvals. See {@link deleteInParts}. */
export async function purgeRuns(
  em: EntityManager,
  conversationIds: readonly string[],
  signal?: AbortSignal,
): Promise<void> {
  const where = { conversationId: { $in: [...conversationIds] } };
  await deleteInParts(em, Approval, where, signal);
  await deleteInParts(em, Run, where, signal);
}

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
 * Repairs what a crash between two systems leaves behind: rows committed but never started, cancellations that Temporal
 * did not accept, and runs that ended in Temporal without recording it. Sweeps all teams' runs of one kind once; several workers may sweep at the same time. @returns how many rows it acted
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

/** Rows processed at once: Temporal may take seconds to refuse one, and each may hold a connection meanwhile. */
const WIDTH = 8;

/**
 * Processes each row that a sweep found. A failure is logged and does not hold up the others; the next sweep finds the
 * row again.
 * @returns how many rows there were
 */
export async function repairEach<Row>(
  rows: readonly Row[],
  work: (row: Row) => Promise<void>,
  failed: { log: Logger; message: string; facts: (row: Row) => object },
): Promise<number> {
  await mapConcurrently(rows, WIDTH, async (row) => {
    try {
      await work(row);
    } catch (error) {
      failed.log.warn({ err: error, ...failed.facts(row) }, failed.message);
    }
  });
  return rows.length;
}

/** The run has ended: an attempt thought lost, or one that comes too late, must not add to it. */
export class RunClosed extends Error {
  override name = 'RunClosed';
  constructor() {
    super('The run has ended; nothing more is recorded for it.');
  }
}
