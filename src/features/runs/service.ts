/** Commits, launches and cancels runs of every kind. */
import { createHash } from 'node:crypto';
import { UniqueConstraintViolationException } from '@mikro-orm/core';
import { deleteInParts } from '../../db/delete-in-parts.ts';
import type { EntityManager, Orm } from '../../db/orm.ts';
import { forTeam } from '../../db/team-filter.ts';
import { Conflict } from '../../http/errors.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Logger } from '../../platform/logger.ts';
import type { RunKind } from './contract.ts';
import { Approval, Run } from './entities.ts';
import { idempotencyKeyReused } from './errors.ts';
import type { RunKindDefinition } from './kind.ts';
import type { RunLauncher } from './launch.ts';

/** Dependencies for starting and controlling runs. */
export interface RunServiceDeps<Row extends Run> {
  orm: Orm;
  clock: Clock;
  log: Logger;
  launcher: RunLauncher<Row>;
}

/** The default explanation. */
export const CANCELLED_BY_USER = 'Somebody asked for it to stop.';

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
