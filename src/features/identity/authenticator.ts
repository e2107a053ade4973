import { hash as digest } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { anyTeam } from '../../db/team-filter.ts';
import type { EntityManager, Orm } from '../../db/orm.ts';
import type { Authenticator, Principal, SecretKind } from '../../http/authenticate.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Logger } from '../../platform/logger.ts';
import { hashCredential, sameHash } from '../../platform/secrets/index.ts';
import { Credential } from './entities.ts';

export interface ApiKeyAuthenticator extends Authenticator {
  /** What is stored of a key, or of a session's secret. */
  hash: (secret: string) => string;
  /**
   * Makes this process look the key or session, and every session that hangs on it, up again at its next use; called
   * when it was revoked.
   */
  forget(id: string): void;
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
  const known = new LRUCache<string, Remembered>({ max: 10_000 });
  const lookups = new Map<string, Promise<Principal | undefined>>();
  const writes = new Set<Promise<void>>();
  /** Grows with each revocation, so that a lookup which began before it is not remembered. */
  let revision = 0;

  const remembered = (handle: string) => {
    const entry = known.get(handle);
    return entry && entry.until > clock.now().getTime() ? entry : undefined;
  };

  const lookUp = async (secret: string, kind: SecretKind, handle: string): Promise<Principal | undefined> => {
    const began = revision;
    const hash = hashCredential(secret, pepper);
    const em = orm.em.fork();
    const key = await em.findOne(Credential, { hash, kind }, anyTeam);
    const now = clock.now();
    const valid = key !== null && sameHash(key.hash, hash) && isGood(key, now) && (await standsOn(em, key));
    const principal = valid ? principalOf(key) : undefined;
    const end = valid ? key.expiresAt?.getTime() : undefined;
    const until = Math.min(now.getTime() + ttlMs, end ?? Infinity);
    const makerId = valid && kind === 'session' ? (key.createdByCredentialId ?? undefined) : undefined;
    if (began === revision) known.set(handle, { principal, makerId, until });
    if (valid) noteUse(key);
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
    hash: (secret) => hashCredential(secret, pepper),
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
    forget(id) {
      revision++;
      lookups.clear();
      for (const [handle, { principal, makerId }] of known.entries()) {
        if (principal?.apiKeyId === id || principal?.sessionId === id || makerId === id) known.delete(handle);
      }
    },
    async idle() {
      await Promise.all(writes);
    },
  };
}

/** What is believed of a secret for a while. */
interface Remembered {
  principal: Principal | undefined;
  /** The key that a session hangs on. */
  makerId: string | undefined;
  /** In ms. */
  until: number;
}

const isGood = ({ revokedAt, expiresAt }: Credential, now: Date): boolean =>
  revokedAt == null && (expiresAt == null || expiresAt > now);

/** Whether the key that a session hangs on is still good: somebody may have revoked it in the database. */
async function standsOn(em: EntityManager, { kind, createdByCredentialId }: Credential): Promise<boolean> {
  if (kind === 'key' || createdByCredentialId == null) return true;
  const maker = await em.findOne(Credential, { id: createdByCredentialId }, anyTeam);
  return maker !== null && maker.revokedAt == null;
}

/** By what a secret is remembered in this process: cheaper than the stored hash, and still not the secret. */
const handleOf = (secret: string, kind: SecretKind): string => digest('sha256', `${kind} ${secret}`, 'base64');

const principalOf = ({
  id,
  teamId,
  userId,
  scopes,
  kind,
  signedInWith,
  createdByCredentialId,
}: Credential): Principal => ({
  apiKeyId: (signedInWith === 'api_key' && createdByCredentialId) || id,
  ...(kind === 'session' && { sessionId: id }),
  teamId,
  ...(userId != null && { userId }),
  scopes,
});
