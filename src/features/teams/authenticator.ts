import { hash as digest } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { anyTeam } from '../../db/team-filter.ts';
import type { Orm } from '../../db/orm.ts';
import type { Authenticator, Principal } from '../../http/authenticate.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Logger } from '../../platform/logger.ts';
import { hashCredential, sameHash } from '../../platform/secrets/index.ts';
import { ApiKey } from './entities.ts';

export interface ApiKeyAuthenticator extends Authenticator {
  /** What is stored of a key. */
  hash: (apiKey: string) => string;
  /** Makes this process look the key up again at its next use; called when it was revoked. */
  forget(apiKeyId: string): void;
  /** Resolves when no background write is under way; awaited before the database is closed. */
  idle(): Promise<void>;
}

/** How long a key that was looked up is believed, in ms: another process's revocation takes effect after at most this. */
const TTL_MS = 2_000;
const LAST_USED_RESOLUTION_MS = 60_000;

/**
 * Verifies API keys against the database, with a short memory so that polls are cheap.
 * @param options.pepper see {@link hashCredential}
 */
export function createAuthenticator(options: {
  orm: Orm;
  pepper: Buffer;
  clock: Clock;
  log: Logger;
  ttlMs?: number;
}): ApiKeyAuthenticator {
  const { orm, pepper, clock, log, ttlMs = TTL_MS } = options;
  const known = new LRUCache<string, { principal: Principal | undefined; until: number }>({ max: 10_000 });
  const lookups = new Map<string, Promise<Principal | undefined>>();
  const writes = new Set<Promise<void>>();
  /** Grows with each revocation, so that a lookup which began before it is not remembered. */
  let revision = 0;

  const remembered = (handle: string) => {
    const entry = known.get(handle);
    return entry && entry.until > clock.now().getTime() ? entry : undefined;
  };

  const lookUp = async (apiKey: string, handle: string): Promise<Principal | undefined> => {
    const began = revision;
    const hash = hashCredential(apiKey, pepper);
    const key = await orm.em.fork().findOne(ApiKey, { hash }, anyTeam);
    const valid = key !== null && key.revokedAt == null && sameHash(key.hash, hash);
    const principal = valid ? principalOf(key) : undefined;
    if (began === revision) known.set(handle, { principal, until: clock.now().getTime() + ttlMs });
    if (valid) noteUse(key);
    return principal;
  };

  const noteUse = ({ id, lastUsedAt }: ApiKey): void => {
    const now = clock.now();
    if (lastUsedAt && now.getTime() - lastUsedAt.getTime() < LAST_USED_RESOLUTION_MS) return;
    const write = orm.em
      .fork()
      .nativeUpdate(ApiKey, { id }, { lastUsedAt: now }, anyTeam)
      .then(
        () => undefined,
        (error: unknown) => log.warn({ err: error }, 'The last use of an API key could not be noted'),
      )
      .finally(() => writes.delete(write));
    writes.add(write);
  };

  return {
    hash: (apiKey) => hashCredential(apiKey, pepper),
    cached: (apiKey) => remembered(handleOf(apiKey))?.principal,
    recognises: (apiKey) => known.peek(handleOf(apiKey))?.principal !== undefined,
    verify(apiKey) {
      const handle = handleOf(apiKey);
      const entry = remembered(handle);
      if (entry) return Promise.resolve(entry.principal);
      const lookup = lookups.get(handle) ?? lookUp(apiKey, handle).finally(() => lookups.delete(handle));
      lookups.set(handle, lookup);
      return lookup;
    },
    forget(apiKeyId) {
      revision++;
      lookups.clear();
      for (const [handle, { principal }] of known.entries()) if (principal?.apiKeyId === apiKeyId) known.delete(handle);
    },
    async idle() {
      await Promise.all(writes);
    },
  };
}

/** By what a key is remembered in this process: cheaper than the stored hash, and still not the key. */
const handleOf = (apiKey: string): string => digest('sha256', apiKey, 'base64');

const principalOf = ({ id, teamId, userId, scopes }: ApiKey): Principal => ({
  apiKeyId: id,
  teamId,
  ...(userId != null && { userId }),
  scopes,
});
