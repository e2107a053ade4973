/** Letting a connection in, or not: the part of it that is still HTTP. */
import { STATUS_CODES, type IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import type { Orm } from '../../../db/orm.ts';
import { TooManyRequests } from '../../../http/errors.ts';
import type { FailedAuthLimiter } from '../../../http/rate-limit/failed-auth.ts';
import type { Clock } from '../../../platform/clock.ts';
import { verifyToken } from '../tokens.ts';

export interface Admitted {
  teamId: string;
  tokenId: string;
}

export interface Refusal {
  status: 401 | 426 | 429 | 503;
  code: string;
  /** A sentence for the operator of the satellite. */
  detail: string;
  retryAfterSeconds?: number;
}

export type Admission = (request: IncomingMessage) => Promise<Admitted | Refusal>;

/**
 * Lets in who has a token that works; addresses that keep failing are refused before the database is asked.
 * @param options.addressOf by what a caller without a token is counted
 */
export function createAdmission(options: {
  orm: Orm;
  pepper: Buffer;
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

/**
 * Answers an upgrade request that is not accepted, as every other error of the API, and closes the connection: also one
 * whose other end stays open, which would keep the server from stopping.
 */
export function refuseUpgrade(socket: Duplex, { status, code, detail, retryAfterSeconds }: Refusal): void {
  const body = JSON.stringify({ detail, code });
  socket.once('finish', () => socket.destroy());
  socket.end(
    [
      `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
      'Connection: close',
      'Cache-Control: no-store',
      'Content-Type: application/json; charset=utf-8',
      ...(retryAfterSeconds === undefined ? [] : [`Retry-After: ${retryAfterSeconds}`]),
      `Content-Length: ${Buffer.byteLength(body)}`,
      '',
      body,
    ].join('\r\n'),
  );
}
