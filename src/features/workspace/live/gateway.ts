/** The sockets of this API node on which people follow the changes of their team's files. */
import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import type { Context } from 'koa';
import { WebSocketServer, type WebSocket } from 'ws';
import { DependencyDown, HttpError, InvalidRequest, TooManyRequests } from '../../../http/errors.ts';
import type { ApiDeps } from '../../../http/deps.ts';
import {
  asksForWebSocket,
  authenticateUpgrade,
  refusalOf,
  refuseUpgrade,
  type UpgradeHandler,
} from '../../../http/upgrades.ts';
import type { EventLog } from '../../../platform/event-log/index.ts';
import type { Workspaces } from '../port.ts';
import { READ } from '../routes/read.ts';
import { ConnectionRows, RENEW_MS } from './connections.ts';
import { Feed, type Listener } from './feed.ts';
import { CLOSE, SOCKET_PATH } from './messages.ts';

/** Maximum sockets of one node, and of one team on it. */
const MAX_SOCKETS = 5_000;
const MAX_SOCKETS_PER_TEAM = 2_000;
/** Interval for pings, and for checking whether callers may stay, in ms. */
const UPKEEP_MS = 15_000;
/** Clients have nothing to say. */
const MAX_FRAME_BYTES = 1_024;
/** Unsent bytes with which a client counts as too slow; it reconnects and gets what it has missed. */
const MAX_BUFFERED_BYTES = 1_048_576;
/** When a refused client may try again, in seconds. */
const RETRY_SECONDS = 10;
/** A peer that does not answer the closing handshake is cut off after this, in ms. */
const CLOSING_MS = 2_000;

export interface LiveGatewayDeps extends ApiDeps {
  workspaces: Workspaces;
  events: EventLog;
}

export interface LiveGateway extends UpgradeHandler {
  /** The number of open sockets. */
  count(): number;
  /** Closes every socket with the hint to reconnect at once. */
  stop(): Promise<void>;
}

interface Member {
  teamId: string;
  mayStay: () => Promise<boolean>;
  /** It has answered since the last ping. */
  isAlive: boolean;
}

/** @param contextOf a request as Koa sees it */
export function createLiveGateway(
  deps: LiveGatewayDeps,
  contextOf: (request: IncomingMessage) => Context,
): LiveGateway {
  const { orm, events, clock, log, workspaces } = deps;
  const server = new WebSocketServer({ noServer: true, maxPayload: MAX_FRAME_BYTES, perMessageDeflate: false });
  const members = new Map<WebSocket, Member>();
  const feeds = new Map<string, Feed>();
  const counts = new Map<string, number>();
  const rows = new ConnectionRows(orm);
  let isStopping = false;

  const feedOf = (teamId: string): Feed => {
    const feed = feeds.get(teamId) ?? new Feed({ workspace: workspaces.forTeam(teamId), teamId, events, clock, log });
    feeds.set(teamId, feed);
    return feed;
  };

  const recount = async (): Promise<void> => {
    await rows
      .store(() => counts)
      .catch((error: unknown) => {
        // The count is for information; it is stored again soon.
        log.warn({ err: error }, 'the connections of workspaces could not be stored');
      });
  };

  const left = (socket: WebSocket, feed: Feed, listener: Listener): void => {
    const member = members.get(socket);
    if (!member || !members.delete(socket)) return;
    const { teamId } = member;
    const remaining = (counts.get(teamId) ?? 1) - 1;
    if (remaining > 0) counts.set(teamId, remaining);
    else counts.delete(teamId);
    feed.leave(listener);
    if (remaining === 0) {
      feed.stop();
      if (feeds.get(teamId) === feed) feeds.delete(teamId);
    }
    if (!isStopping) void recount();
  };

  const opened = async (socket: WebSocket, member: Member, after?: string): Promise<void> => {
    const { teamId } = member;
    members.set(socket, member);
    counts.set(teamId, (counts.get(teamId) ?? 0) + 1);
    const feed = feedOf(teamId);
    const listener: Listener = (message) => {
      if (socket.bufferedAmount > MAX_BUFFERED_BYTES) socket.terminate();
      else socket.send(message);
    };
    socket.on('pong', () => (member.isAlive = true));
    socket.on('error', (error) => log.debug({ err: error, teamId }, 'a socket of a workspace failed'));
    socket.on('close', () => left(socket, feed, listener));
    await recount();
    try {
      await feed.join(listener, after);
      // Closed in the meantime: nobody would remove the listener.
      if (!members.has(socket)) feed.leave(listener);
    } catch (error) {
      log.warn({ err: error, teamId }, 'a workspace cannot be followed');
      if (!feed.isStarted) {
        // The next client's feed starts anew.
        feed.stop();
        if (feeds.get(teamId) === feed) feeds.delete(teamId);
      }
      close(socket, CLOSE.later, 'The workspace cannot be read now; try again.');
    }
  };

  const admit = async (request: IncomingMessage): Promise<{ member: Member; after?: string }> => {
    if (isStopping || members.size >= MAX_SOCKETS) throw noRoom();
    const after = new URL(request.url ?? '', 'http://localhost').searchParams.get('after') ?? undefined;
    if (after !== undefined && !/^[0-9a-f]{40}$/u.test(after))
      throw InvalidRequest.at(['query', 'after'], 'String should be the id of a commit', after);
    const { principal, mayStay } = await authenticateUpgrade(contextOf(request), READ, deps);
    const { teamId } = principal;
    if ((counts.get(teamId) ?? 0) >= MAX_SOCKETS_PER_TEAM)
      throw new TooManyRequests(RETRY_SECONDS, 'The team has too many open WebSockets.', 'too_many_sockets');
    return { member: { teamId, mayStay, isAlive: true }, after };
  };

  const upgrade = async (request: IncomingMessage, socket: Duplex, head: Buffer): Promise<void> => {
    socket.on('error', () => socket.destroy());
    try {
      const { member, after } = await admit(request);
      // Nothing would close a socket that is opened after all others were closed.
      if (isStopping) throw noRoom();
      server.handleUpgrade(request, socket, head, (accepted) => void opened(accepted, member, after));
    } catch (error) {
      if (!(error instanceof HttpError)) log.warn({ err: error }, 'a WebSocket could not be opened');
      refuseUpgrade(socket, refusalOf(error instanceof HttpError ? error : unavailable(error)));
    }
  };

  const upkeep = setInterval(() => {
    for (const [socket, member] of members) {
      if (!member.isAlive) {
        socket.terminate();
        continue;
      }
      member.isAlive = false;
      socket.ping();
      // If the database is unavailable, the socket stays.
      member.mayStay().then(
        (may) => may || close(socket, CLOSE.unauthorized, 'The key or session is no longer valid.'),
        () => undefined,
      );
    }
  }, UPKEEP_MS).unref();
  const renewing = setInterval(() => void (counts.size > 0 && recount()), RENEW_MS).unref();

  return {
    wants: (request) => asksForWebSocket(request, SOCKET_PATH),
    upgrade: (request, socket, head) => void upgrade(request, socket, head),
    count: () => members.size,
    async stop() {
      isStopping = true;
      clearInterval(upkeep);
      clearInterval(renewing);
      for (const socket of members.keys()) close(socket, CLOSE.restarting, 'This node is stopping; reconnect.');
      for (const feed of feeds.values()) feed.stop();
      counts.clear();
      await recount();
    },
  };
}

function close(socket: WebSocket, code: number, reason: string): void {
  socket.close(code, reason);
  setTimeout(() => socket.terminate(), CLOSING_MS).unref();
}

const noRoom = (): HttpError =>
  new DependencyDown('This node accepts no more WebSockets for now.', 'too_many_sockets', {
    headers: { 'Retry-After': String(RETRY_SECONDS) },
  });

const unavailable = (cause: unknown): HttpError =>
  new DependencyDown('Casebook cannot check the credential now.', 'dependency_down', { cause });
