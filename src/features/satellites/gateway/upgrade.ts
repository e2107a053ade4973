/** Admits or refuses a satellite while its connection is still HTTP. */
import type { Pepper } from '../../../platform/secrets.ts';
import type { IncomingMessage } from 'node:http';
import type { Orm } from '../../../db/orm.ts';
import { TooManyRequests } from '../../../http/errors.ts';
import type { Refusal } from '../../../http/upgrades.ts';
import type { FailedAuthLimiter } from '../../../http/rate-limit/failed-auth.ts';
import type { Clock } from '../../../platform/clock.ts';
import { verifyToken } from '../tokens.ts';

export interface Admitted {
  teamId: string;
  tokenId: string;
}

export type Admission = (request: IncomingMessage) => Promise<Admitted | Refusal>;

/**
 * Admits requests with a valid token; addresses that keep failing are refused before the database is queried.
 * @param options.addressOf the key by which a caller without a token is counted
 */
export function createAdmission(options: {
  orm: Orm;
  pepper: Pepper;
  clock: Clock;
  failedAuthLimiter: FailedAuthLimiter;
  addressOf: (request: IncomingMessage) => string;
}): Admission {
  const { orm, pepper, clock, failedAuthLimiter } = options;
  return async (request) => {
    const address = options.addressOf(request);
    const token = /^bearer +(\S+) *$/iu.exec(request.headers.authorization ?? '')?.[1];
    let detail = 'An enrolment token is required in the Authorization header (Bearer).';
    try {
      const row = await failedAuthLimiter.attempt(address, async () => {
        if (token === undefined) return undefined;
        const verified = await verifyToken(orm.em.fork(), token, { pepper, now: clock.now() });
        if ('row' in verified) return verified.row;
        detail = verified.refusal;
        return undefined;
      });
      return row ? { teamId: row.teamId, tokenId: row.id } : { status: 401, code: 'unauthorized', detail };
    } catch (error) {
      if (!(error instanceof TooManyRequests)) throw error;
      const { code, message, retryAfterSeconds } = error;
      return { status: 429, code, detail: message, retryAfterSeconds };
    }
  };
}
