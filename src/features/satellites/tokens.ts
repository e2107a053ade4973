/** Enrolment tokens: the credentials that satellites of a team connect with. */
import { creatorOf } from '../../db/base.ts';
import type { EntityManager } from '../../db/orm.ts';
import { anyTeam } from '../../db/team-filter.ts';
import type { Principal } from '../../http/authenticate.ts';
import { InvalidRequest, NotFound } from '../../http/errors.ts';
import { generateCredential, hashCredential, pepperFor, sameHash } from '../../platform/secrets/index.ts';
import { SatelliteToken } from './entities.ts';

const PREFIX_LENGTH = 10;
const LAST_USED_RESOLUTION_MS = 60_000;
/** Our tokens are far shorter; longer ones are not worth hashing. */
const MAX_TOKEN_CHARACTERS = 512;

/** Derives the pepper of token hashes from an installation's secret key. */
export const tokenPepperFrom = (secretKey: Buffer): Buffer => pepperFor(secretKey, 'casebook satellite tokens');

/**
 * Creates a token for a team: `cbs_` and 32 random bytes. Its text is only in the response.
 * @param em bound to the team
 * @throws {InvalidRequest} for an expiry in the past
 */
export async function createToken(
  em: EntityManager,
  principal: Pick<Principal, 'teamId' | 'apiKeyId' | 'userId'>,
  request: { name: string; expiresAt?: Date },
  { pepper, now }: { pepper: Buffer; now: Date },
): Promise<{ row: SatelliteToken; token: string }> {
  if (request.expiresAt && request.expiresAt <= now)
    throw InvalidRequest.at(
      ['body', 'expires_at'],
      'Value error, the time has passed',
      request.expiresAt.toISOString(),
    );
  const token = generateCredential('cbs_');
  const row = em.create(SatelliteToken, {
    teamId: principal.teamId,
    name: request.name,
    prefix: token.slice(0, PREFIX_LENGTH),
    hash: hashCredential(token, pepper),
    ...creatorOf(principal),
    expiresAt: request.expiresAt ?? null,
  });
  await em.flush();
  return { row, token };
}

/** Every token of the team, newest first, including expired and revoked ones. */
export const listTokens = (em: EntityManager): Promise<SatelliteToken[]> =>
  em.find(SatelliteToken, {}, { orderBy: { createdAt: 'desc', id: 'asc' } });

/**
 * Revokes a token; idempotent. Its connections are closed within seconds.
 * @throws {NotFound}
 */
export async function revokeToken(em: EntityManager, tokenId: string, now: Date): Promise<SatelliteToken> {
  const row = await em.findOne(SatelliteToken, { id: tokenId });
  if (!row) throw new NotFound('There is no such satellite token.');
  row.revokedAt ??= now;
  await em.flush();
  return row;
}

/** Why a token is not accepted, as a sentence for the satellite's operator; undefined when it is. */
export function refusalOf(token: Pick<SatelliteToken, 'revokedAt' | 'expiresAt'>, now: Date): string | undefined {
  if (token.revokedAt != null) return `The enrolment token was revoked at ${token.revokedAt.toISOString()}.`;
  if (token.expiresAt != null && token.expiresAt <= now)
    return `The enrolment token expired at ${token.expiresAt.toISOString()}.`;
  return undefined;
}

/** @returns the token's row, or why it is not accepted */
export async function verifyToken(
  em: EntityManager,
  token: string,
  { pepper, now }: { pepper: Buffer; now: Date },
): Promise<{ row: SatelliteToken } | { refusal: string }> {
  const unknown = { refusal: 'The enrolment token is not known.' };
  if (token.length > MAX_TOKEN_CHARACTERS) return unknown;
  const hash = hashCredential(token, pepper);
  const row = await em.findOne(SatelliteToken, { hash }, anyTeam);
  if (!row || !sameHash(row.hash, hash)) return unknown;
  const refusal = refusalOf(row, now);
  if (refusal !== undefined) return { refusal };
  // A thousand satellites may share a token and reconnect at the same moment.
  if (!row.lastUsedAt || now.getTime() - row.lastUsedAt.getTime() > LAST_USED_RESOLUTION_MS) {
    row.lastUsedAt = now;
    await em.flush();
  }
  return { row };
}
