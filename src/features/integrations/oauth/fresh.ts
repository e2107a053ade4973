/** Access tokens that are still good: renewed before they expire, once, however many runs need them. */
import { LockMode } from '@mikro-orm/core';
import { QueryError } from '@casebook/connectors';
import { forTeam } from '../../../db/team-filter.ts';
import type { Target } from '../connections.ts';
import { Integration } from '../entities.ts';
import { tellChange, type StatusDeps } from '../status.ts';
import type { Vault } from '../vault.ts';
import { OAuthRefused, OAuthUnavailable, type Tokens } from './client.ts';

/** A token with less time left is renewed first: longer than a tool call takes. */
const RENEW_BEFORE_MS = 2 * 60_000;

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
export function freshTargets(deps: FreshDeps): {
  fresh(row: Integration): Promise<Target>;
  /** The target with another token than the one that was refused. @throws {QueryError} when there is none */
  renewed(target: Target, refused: unknown): Promise<Target>;
} {
  const { orm, clock, vault, opened } = deps;
  const renewing = new Map<string, Promise<Target | QueryError>>();

  const isStale = ({ secrets: { access_token, refresh_token, expires_at } }: Target, refused?: unknown): boolean =>
    refresh_token !== undefined &&
    (access_token === refused ||
      (typeof expires_at === 'number' && expires_at - clock.now().getTime() < RENEW_BEFORE_MS));

  /** @returns the error, where the vendor refuses: it has to be committed */
  const renew = ({ id, teamId }: Pick<Target, 'id' | 'teamId'>, refused?: unknown): Promise<Target | QueryError> =>
    forTeam(orm.em, teamId).transactional(async (tx) => {
      const row = await tx.findOne(Integration, { id }, { lockMode: LockMode.PESSIMISTIC_WRITE });
      if (!row) return new QueryError('not_found', 'The integration was removed.');
      const target = opened(row);
      if (!isStale(target, refused)) return target;
      if (row.status === 'needs_reconnect')
        return new QueryError('failed', row.error ?? 'It has to be connected again.');
      try {
        // The new token's own end counts, also where the server names none.
        const { expires_at: _earlier, ...kept } = target.secrets;
        const secrets = { ...kept, ...(await deps.renew(target)) };
        tx.assign(row, { sealed: vault.seal(row, secrets), revision: row.revision + 1 });
        return { ...target, secrets, revision: row.revision };
      } catch (error) {
        if (error instanceof OAuthUnavailable) {
          // The old token may be good for minutes yet.
          const isGood = refused === undefined && Number(target.secrets['expires_at']) > clock.now().getTime();
          return isGood ? target : new QueryError('failed', error.message, { cause: error });
        }
        if (!(error instanceof OAuthRefused)) throw error;
        const words = `${error.message} Connect it again.`;
        const { status } = row;
        tx.assign(row, { status: 'needs_reconnect', statusSince: clock.now(), error: words });
        await tellChange(deps, tx, row, status);
        return new QueryError('failed', words, { cause: error });
      }
    });

  const shared = async (of: Pick<Target, 'id' | 'teamId'>, refused?: unknown): Promise<Target> => {
    // Whoever was refused must not share with one who is content with a token that is good for a minute yet.
    const key = JSON.stringify([of.id, refused]);
    const going = renewing.get(key) ?? renew(of, refused).finally(() => renewing.delete(key));
    renewing.set(key, going);
    const found = await going;
    if (found instanceof QueryError) throw found;
    return found;
  };

  return {
    async fresh(row) {
      const target = opened(row);
      return isStale(target) ? shared(row) : target;
    },
    async renewed(target, refused) {
      const found = await shared(target, refused);
      if (found.secrets['access_token'] === refused)
        throw new QueryError('failed', 'The server does not accept the credential. Connect it again.');
      return found;
    },
  };
}
