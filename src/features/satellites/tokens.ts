/** Enrolment tokens: the credentials that satellites of a team connect with. */
import type { EntityManager } from '../../db/orm.ts';
import { anyTeam } from '../../db/team-filter.ts';
import type { Principal } from '../../http/authenticate.ts';
import { NotFound } from '../../http/errors.ts';
import { generateCredential, pepperFor, type Pepper, type SecretKeys } from '../../platform/secrets.ts';
import { addCredential, Credential, findCredential, isRooted, lockTeamFor } from '../identity/index.ts';

const PREFIX_LENGTH = 10;
const LAST_USED_RESOLUTION_MS = 60_000;
/** Our tokens are far shorter; longer ones are not worth hashing. */
const MAX_TOKEN_CHARACTERS = 512;

/** Derives the pepper of token hashes from an installation's secret keys. */
export const tokenPepperFrom = (keys: SecretKeys): Pepper => pepperFor(keys, 'casebook satellite tokens');

/**
 * Creates a token for a team: `cbs_` and 32 random bytes. Its text is only in the response. It expires and is revoked with
 * the credential that created it.
 * @param em bound to the team
 * @throws {InvalidRequest} for an expiry in the past
 * @throws {Unauthorized} if the caller was revoked meanwhile
 */
export function createToken(
  em: EntityManager,
  principal: Principal,
  { name, expiresAt }: { name: string; expiresAt?: Date },
  { pepper, now }: { pepper: Pepper; now: Date },
): Promise<{ row: Credential; token: string }> {
  return em.transactional(async (tx) => {
    const token = generateCredential('cbs_');
    const prefix = token.slice(0, PREFIX_LENGTH);
    const hash = pepper.hash(token);
    const made = { kind: 'satellite', name, prefix, hash, userId: null, expiresAt } as const;
    return { row: await addCredential(tx, principal, { ...made, scopes: [] }, now), token };
  });
}

/** Every token of the team, newest first, including expired and revoked ones. */
export const listTokens = (em: EntityManager): Promise<Credential[]> =>
  em.find(Credential, { kind: 'satellite' }, { orderBy: { createdAt: 'desc', id: 'asc' } });

/**
 * Revokes a token; idempotent. Its connections are closed within seconds.
 * @throws {NotFound}
 * @throws {Unauthorized} if the caller was revoked meanwhile
 */
export function revokeToken(em: EntityManager, principal: Principal, tokenId: string, now: Date): Promise<Credential> {
  return em.transactional(async (tx) => {
    await lockTeamFor(tx, principal);
    const row = await tx.findOne(Credential, { id: tokenId, kind: 'satellite' });
    if (!row) throw new NotFound('Satellite token not found.');
    row.revokedAt ??= now;
    return row;
  });
}

const UNKNOWN = 'The enrolment token is not known.';

/** Why a token does not let in, as a sentence for the operator of the satellite; undefined when it does. */
function refusalOf(token: Pick<Credential, 'revokedAt' | 'expiresAt'>, now: Date): string | undefined {
  if (token.revokedAt != null) return `The enrolment token was revoked at ${token.revokedAt.toISOString()}.`;
  if (token.expiresAt != null && token.expiresAt <= now)
    return `The enrolment token expired at ${token.expiresAt.toISOString()}.`;
  return undefined;
}

/** Why connections made with these tokens are to be closed, by token. */
export async function refusalsOf(em: EntityManager, ids: readonly string[], now: Date): Promise<Map<string, string>> {
  const rows = await em.find(Credential, { id: { $in: [...ids] }, kind: 'satellite' }, anyTeam);
  const byId = new Map(rows.map((row) => [row.id, row]));
  return new Map(
    ids.flatMap((id) => {
      const row = byId.get(id);
      const refusal = row ? refusalOf(row, now) : UNKNOWN;
      return refusal === undefined ? [] : [[id, refusal] as const];
    }),
  );
}

/** @returns the token's row, or why it is rejected */
export async function verifyToken(
  em: EntityManager,
  token: string,
  { pepper, now }: { pepper: Pepper; now: Date },
): Promise<{ row: Credential } | { refusal: string }> {
  const unknown = { refusal: UNKNOWN };
  if (token.length > MAX_TOKEN_CHARACTERS) return unknown;
  const row = await findCredential(em, token, { kind: 'satellite', pepper });
  if (!row) return unknown;
  const refusal = refusalOf(row, now);
  if (refusal !== undefined) return { refusal };
  if (!(await isRooted(em, row))) return { refusal: 'The credential that made the enrolment token was revoked.' };
  // A thousand satellites may share a token, and come back in the same moment.
  if (!row.lastUsedAt || now.getTime() - row.lastUsedAt.getTime() > LAST_USED_RESOLUTION_MS) {
    row.lastUsedAt = now;
    await em.flush();
  }
  return { row };
}
