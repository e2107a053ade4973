/** Connections that ask for another protocol (WebSocket): who takes them over, and how they are refused. */
import { STATUS_CODES, type IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import type { Context } from 'koa';
import { authenticate, stayCheck, type ApiKeyAuth, type Principal } from './authenticate.ts';
import type { ApiDeps } from './deps.ts';
import type { HttpError } from './errors.ts';
import { allowedOrigin } from './middleware/headers.ts';
import { limitRate } from './rate-limit/limit.ts';
import { refuseForeignPages } from './session-cookie.ts';

export interface UpgradeHandler {
  /** Whether it handles this request. */
  wants(request: IncomingMessage): boolean;
  upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void;
}

/** Gives each request to the first handler that wants it. */
export const upgradesTo = (...handlers: readonly UpgradeHandler[]): UpgradeHandler => ({
  wants: (request) => handlers.some((handler) => handler.wants(request)),
  upgrade: (request, socket, head) =>
    handlers.find((handler) => handler.wants(request))?.upgrade(request, socket, head),
});

/** Whether a request asks for a WebSocket at a path. */
export const asksForWebSocket = ({ url, headers }: IncomingMessage, path: string): boolean =>
  url?.split('?')[0] === path && headers.upgrade?.toLowerCase() === 'websocket';

/**
 * Authenticates a WebSocket request as an endpoint would. Browsers send cookies with it from any page, so pages of other
 * origins are refused; those that CORS allows may come with a key.
 * @param ctx made from the request
 * @returns the caller, and whether it would still be let in later
 * @throws {HttpError}
 */
export async function authenticateUpgrade(
  ctx: Context,
  auth: ApiKeyAuth,
  deps: ApiDeps,
): Promise<{ principal: Principal; mayStay: () => Promise<boolean> }> {
  const { appUrl, corsOrigins } = deps.config;
  const principal = await authenticate(ctx, auth, deps);
  const origin = ctx.get('Origin');
  const isListed = principal.sessionId === undefined && origin !== '' && allowedOrigin(origin, corsOrigins) !== '';
  if (!isListed) refuseForeignPages(ctx, appUrl);
  await limitRate(ctx, principal.credentialId, deps);
  return { principal, mayStay: stayCheck(ctx, auth, deps) };
}

/** Why a connection is not upgraded. */
export interface Refusal {
  status: number;
  code: string;
  /** A sentence for the operator of the client. */
  detail: string;
  retryAfterSeconds?: number;
}

/** An error of the API as a refusal. */
export const refusalOf = ({ status, code, message: detail, headers }: HttpError): Refusal => {
  const retryAfter = headers['Retry-After'];
  return { status, code, detail, ...(retryAfter !== undefined && { retryAfterSeconds: Number(retryAfter) }) };
};

/**
 * Refuses an upgrade request with the API's usual error and closes the connection, even if the peer keeps its end open,
 * which would prevent the server from stopping.
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
