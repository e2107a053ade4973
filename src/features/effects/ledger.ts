/** The ledger's rows: claimed before an effect is made, and updated with its outcome. */
import { createHash, randomUUID } from 'node:crypto';
import type { EntityManager, Orm } from '../../db/orm.ts';
import { anyTeam } from '../../db/team-filter.ts';
import { idempotencyKeyReused } from '../../http/errors.ts';
import { storableJson, storableText } from '../../platform/storable.ts';
import { Effect } from './entities.ts';

const MAX_ERROR = 1_000;

export interface EffectRequest {
  teamId: string;
  kind: Effect['kind'];
  /** Deterministic and unique within the team; begins with the kind. */
  key: string;
  /** Plain JSON that distinguishes a repetition from another request. Absent: the key determines the request. */
  request?: unknown;
  /** Plain JSON that every attempt must send identically. */
  payload?: unknown;
  /** The row's own id; random by default. */
  id?: string;
  /** The row with which it is deleted. */
  ownerId?: string;
  /** Its subject. */
  subjectId?: string;
  /** How long the key is reserved for this effect; by default as long as the row exists. */
  keptForMs?: number;
  /** By default the machine's time. */
  now?: Date;
}

/**
 * The row of an effect: the existing one, or a new one.
 * @param em bound to the team; within a transaction the row is committed with it
 * @throws {Conflict} `idempotency_key_reused` when the key belongs to another request
 */
export async function claimEffect(em: EntityManager, wanted: EffectRequest): Promise<Effect> {
  const { key } = wanted;
  const rows = em.fork({ keepTransactionContext: true });
  const row = newEffect(wanted);
  if (row.expiresAt) await rows.nativeDelete(Effect, { key, expiresAt: { $lte: row.createdAt } });
  await rows.upsert(Effect, row, { onConflictFields: ['teamId', 'key'], onConflictAction: 'ignore' });
  const effect = await rows.fork({ keepTransactionContext: true }).findOneOrFail(Effect, { key });
  if (effect.digest !== row.digest) throw idempotencyKeyReused();
  return effect;
}

/**
 * Records completed effects in one statement; existing rows stay unchanged.
 * @param em bound to the team; within a transaction the receipts are committed with it
 */
export async function recordDone(
  em: EntityManager,
  effects: readonly (EffectRequest & { receipt: unknown })[],
): Promise<void> {
  const done = effects.map(({ receipt, ...wanted }) => {
    const row = newEffect(wanted);
    return { ...row, status: 'done' as const, receipt: storableJson(receipt), finishedAt: row.createdAt, attempts: 1 };
  });
  await em.upsertMany(Effect, done, { onConflictFields: ['teamId', 'key'], onConflictAction: 'ignore' });
}

/**
 * Ends a pending effect: the first end stays.
 * @returns the row as stored afterwards; null when it was deleted meanwhile
 */
export async function endEffect(
  em: EntityManager,
  id: string,
  end: { status: 'done'; receipt: unknown } | { status: 'failed'; error: string } | { status: 'skipped' },
): Promise<Effect | null> {
  const now = new Date();
  await em.nativeUpdate(
    Effect,
    { id, status: 'pending' },
    {
      status: end.status,
      ...(end.status === 'done' && { receipt: storableJson(end.receipt) }),
      lastError: end.status === 'failed' ? boundedError(end.error) : null,
      leasedUntil: null,
      finishedAt: now,
      updatedAt: now,
    },
  );
  return em.fork().findOne(Effect, { id });
}

/** A payload, target or receipt: plain JSON of the type its kind stored. */
// eslint-disable-next-line typescript/no-unnecessary-type-parameters -- the kind decides, which no type says
export function stored<T>(column: unknown): T {
  // eslint-disable-next-line typescript/no-unsafe-type-assertion -- stored by the same kind
  return column as T;
}

/**
 * Deletes the effects of all teams whose keys have become free. Several workers may do so at once. @returns how many
 */
export async function purgeEffects({ em }: Pick<Orm, 'em'>, now: Date): Promise<number> {
  return em.fork().nativeDelete(Effect, { expiresAt: { $lte: now } }, anyTeam);
}

export const boundedError = (error: string): string => storableText(error.slice(0, MAX_ERROR));

/** Equal for equal requests, whatever the order of their members. */
function digestOf(request: unknown): string {
  if (request === undefined) return '';
  const ordered = (_name: string, part: unknown): unknown =>
    part !== null && typeof part === 'object' && !Array.isArray(part)
      ? Object.fromEntries(Object.entries(part).toSorted(([a], [b]) => (a < b ? -1 : 1)))
      : part;
  return createHash('sha256').update(JSON.stringify(request, ordered)).digest('hex');
}

function newEffect(wanted: EffectRequest) {
  const {
    teamId,
    kind,
    key,
    request,
    payload = null,
    ownerId = null,
    subjectId = null,
    keptForMs,
    now = new Date(),
  } = wanted;
  return {
    id: wanted.id ?? randomUUID(),
    createdAt: now,
    updatedAt: now,
    teamId,
    kind,
    key,
    digest: digestOf(request),
    payload: storableJson(payload),
    status: 'pending' as const,
    target: null,
    receipt: null,
    attempts: 0,
    lastError: null,
    leasedUntil: null,
    finishedAt: null,
    ownerId,
    subjectId,
    expiresAt: keptForMs === undefined ? null : new Date(now.getTime() + keptForMs),
  };
}
