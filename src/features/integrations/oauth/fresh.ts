/** Access tokens that are still good: renewed before they expire, once, however many runs need them. */
import { LockMode } from '@mikro-orm/core';
import { QueryError } from '@casebook/connectors';
import { forTeam } from '../../../db/team-filter.ts';
import type { Target } from '../connections.ts';
import { Integration } from '../entities.ts';
import { notifyOfStatus, type StatusDeps } from '../status.ts';
import type { Vault } from '../vault.ts';
import { OAuthRefused, OAuthUnavailable, type Tokens } from './client.ts';

/** A token with less time left is renewed first: more than the interval of checks, so that a check renews it. */
const RENEW_BEFORE_MS = 7 * 60_000;

export interface FreshDeps extends StatusDeps {
  vault: Vault;
  opened(row: Integration): Target;
  /** Asks the vendor for new tokens. @throws {OAuthRefused}, {OAuthUnavailable} */
  renew(target: Target): Promise<Tokens>;
}

/**
 * Opens a row with an access token that is still good. Whoever needs a new one waits for the row's lock and then finds
 * it renewed, also across processes. Killed between the vendor's answer and the commit, the old refresh token is used
 * again: vendors that rotate them may refuse, and the integration then has to be connected again.
 * @throws {QueryError} when it cannot be renewed
 * @throws {SecretError}
 */
export function freshTargets(deps: FreshDeps): (row: Integration) => Promise<Target> {
  const { orm, clock, vault, opened } = deps;
  const renewing = new Map<string, Promise<Target | QueryError>>();

  const isStale = ({ secrets: { refresh_token, expires_at } }: Target): boolean =>
    refresh_token !== undefined &&
    typeof expires_at === 'number' &&
    expires_at - clock.now().getTime() < RENEW_BEFORE_MS;

  /** @returns the error, where the vendor refuses: it has to be committed */
  const renewed = ({ id, teamId }: Integration): Promise<Target | QueryError> =>
    forTeam(orm.em, teamId).transactional(async (tx) => {
      const row = await tx.findOne(Integration, { id }, { lockMode: LockMode.PESSIMISTIC_WRITE });
      if (!row) return new QueryError('not_found', 'The integration was removed.');
      const target = opened(row);
      if (!isStale(target)) return target;
      if (row.status === 'needs_reconnect')
        return new QueryError('failed', row.error ?? 'It has to be connected again.');
      try {
        const secrets = { ...target.secrets, ...(await deps.renew(target)) };
        tx.assign(row, { sealed: vault.seal(row, secrets), revision: row.revision + 1 });
        return { ...target, secrets, revision: row.revision };
      } catch (error) {
        if (error instanceof OAuthUnavailable) {
          // The old token may be good for minutes yet.
          const isGood = Number(target.secrets['expires_at']) > clock.now().getTime();
          return isGood ? target : new QueryError('failed', error.message, { cause: error });
        }
        if (!(error instanceof OAuthRefused)) throw error;
        const refused = `${error.message} Connect it again.`;
        tx.assign(row, { status: 'needs_reconnect', statusSince: clock.now(), error: refused });
        await notifyOfStatus(deps, tx, row);
        return new QueryError('failed', refused, { cause: error });
      }
    });

  return async (row) => {
    const target = opened(row);
    if (!isStale(target)) return target;
    const shared = renewing.get(row.id) ?? renewed(row).finally(() => renewing.delete(row.id));
    renewing.set(row.id, shared);
    const found = await shared;
    if (found instanceof QueryError) throw found;
    return found;
  };
}
