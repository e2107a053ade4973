import { hash as digest } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { anyTeam } from '../../db/team-filter.ts';
import type { Orm } from '../../db/orm.ts';
import type { Authenticator, Principal, SecretKind } from '../../http/authenticate.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Logger } from '../../platform/logger.ts';
import type { Pepper } from '../../platform/secrets.ts';
import type { Scopes } from '../../room.ts';
import { findCredential } from './credentials.ts';
import { Credential } from './entities.ts';
import { isRooted, scopesNow } from './provenance.ts';

export interface ApiKeyAuthenticator extends Authenticator {
  /** The stored hash of a key or session secret. */
  hash: (secret: string) => string;
  /** Makes this process look up these keys and sessions again on their next use; call it after a revocation. */
  forget(ids: readonly string[]): void;
  /** Resolves when no background write is in progress; await it before closing the database. */
  idle(): Promise<void>;
}

/** How long a looked-up key is trusted, in ms: another process's revocation takes effect within this time. */
const TTL_MS = 2_000;
const LAST_USED_RESOLUTION_MS = 60_000;

/**
 * Verifies API keys against the database, caching briefly so that polls are cheap.
 * @param options.scopes those of all rooms
 */
export function createAuthenticator(options: {
  orm: Orm;
  pepper: Pepper;
  scopes: Scopes;
  clock: Clock;
  log: Logger;
  ttlMs?: number;
}): ApiKeyAuthenticator {
  const { orm, pepper, scopes: allScopes, clock, log, ttlMs = TTL_MS } = options;
  const known = new LRUCache<string, Remembered>({ max: 10_000 });
  const lookups = new Map<string, Promise<Principal | undefined>>();
  const writes = new Set<Promise<void>>();
  /** Increments with each revocation, so that a lookup that started before it is not cached. */
  let revision = 0;

  const remembered = (handle: string) => {
    const entry = known.get(handle);
    return entry && entry.until > clock.now().getTime() ? entry : undefined;
  };

  const lookUp = async (secret: string, kind: SecretKind, handle: string): Promise<Principal | undefined> => {
    const began = revision;
    const em = orm.em.fork();
    const key = await findCredential(em, secret, { kind, pepper });
    const now = clock.now();
    const isOpen = key !== null && key.revokedAt == null && (await isRooted(em, key));
    const end = isOpen ? key.expiresAt?.getTime() : undefined;
    const isOver = end !== undefined && end <= now.getTime();
    const scopes = isOpen && !isOver ? await scopesNow(em, key, allScopes) : undefined;
    const principal = isOpen && scopes ? principalOf(key, scopes) : undefined;
    const until = Math.min(now.getTime() + ttlMs, (!isOver && end) || Infinity);
    const expiredAt = isOver ? new Date(end) : undefined;
    if (began === revision) known.set(handle, { principal, expiredAt, until });
    if (isOpen && principal) noteUse(key);
    return principal;
  };

  const noteUse = ({ id, lastUsedAt }: Credential): void => {
    const now = clock.now();
    if (lastUsedAt && now.getTime() - lastUsedAt.getTime() < LAST_USED_RESOLUTION_MS) return;
    const write = orm.em
      .fork()
      .nativeUpdate(Credential, { id }, { lastUsedAt: now }, anyTeam)
      .then(
        () => undefined,
        (error: unknown) => log.warn({ err: error }, 'The last use of an API key could not be noted'),
      )
      .finally(() => writes.delete(write));
    writes.add(write);
  };

  return {
    hash: (secret) => pepper.hash(secret),
    cached: (secret, kind) => remembered(handleOf(secret, kind))?.principal,
    recognises: (secret, kind) => known.peek(handleOf(secret, kind))?.principal !== undefined,
    verify(secret, kind) {
      const handle = handleOf(secret, kind);
      const entry = remembered(handle);
      if (entry) return Promise.resolve(entry.principal);
      const lookup = lookups.get(handle) ?? lookUp(secret, kind, handle).finally(() => lookups.delete(handle));
      lookups.set(handle, lookup);
      return lookup;
    },
    expiredAt: (secret, kind) => remembered(handleOf(secret, kind))?.expiredAt,
    forget(ids) {
      if (ids.length === 0) return;
      revision++;
      lookups.clear();
      const revoked = new Set(ids);
      for (const [handle, { principal }] of known.entries()) {
        if (principal && revoked.has(principal.sessionId ?? principal.credentialId)) known.delete(handle);
      }
    },
    async idle() {
      await Promise.all(writes);
    },
  };
}

/** A cached lookup. */
interface Remembered {
  principal: Principal | undefined;
  /** When an otherwise valid secret expired. */
  expiredAt: Date | undefined;
  /** In ms. */
  until: number;
}

/** The cache key of a secret: cheaper than the stored hash, and still not the secret. */
const handleOf = (secret: string, kind: SecretKind): string => digest('sha256', `${kind} ${secret}`, 'base64');

const principalOf = (
  { id, teamId, userId, kind, signedInWith, createdByCredentialId }: Credential,
  scopes: readonly string[],
): Principal => ({
  credentialId: (signedInWith === 'api_key' && createdByCredentialId) || id,
  ...(kind === 'session' && { sessionId: id }),
  teamId,
  ...(userId != null && { userId }),
  scopes,
});
