/** Answers a turn: with its stream, or with its end. */
import type { Context } from 'koa';
import type { EntityManager } from '../../../db/orm.ts';
import { forTeam } from '../../../db/team-filter.ts';
import { requireOneOf, type Principal } from '../../../http/authenticate.ts';
import type { ContentResponse } from '../../../http/respond.ts';
import { DependencyDown, InvalidRequest } from '../../../http/errors.ts';
import { waitingSignal } from '../../../http/streams/open-streams.ts';
import { lastEventId, sseResponse } from '../../../http/streams/sse.ts';
import { ChatTurn } from '../entities.ts';
import { chatNotFound, otherRequest, positionLost, turnWithoutAnswer } from '../errors.ts';
import { findChat, requestDigestOf, startTurn, type NewTurn } from '../service.ts';
import { UI_STREAM_HEADERS } from '../stream/chunks.ts';
import { parseEventId, type StreamPosition } from '../stream/event-id.ts';
import { followTurn, knowsPosition, type FollowedTurn } from '../stream/follow.ts';
import { untilTurnEnded } from '../stream/end.ts';
import { READ, type ChatDeps } from './deps.ts';

/** The parts of a call that answering needs. */
export interface TurnCall {
  ctx: Context;
  deps: Pick<ChatDeps, 'orm' | 'events' | 'chats'>;
  em: EntityManager;
  principal: Principal;
  headers: { 'idempotency-key'?: string };
  queued<T>(start: () => Promise<T>): Promise<T>;
}

/**
 * The turn a request is about: the one it resumes if it carries the id of a seen event, otherwise a new one. A client
 * that repeats its request after a broken connection thus continues where it was.
 * @throws {TooManyRequests} or {@link DependencyDown} if too many streams are open
 * @param read scopes, one of which is required to resume a turn
 * @throws {Forbidden} if the caller may not read the turn to resume, {@link Conflict} if another request started it
 */
export async function turnFor(
  call: TurnCall,
  wanted: Omit<NewTurn, 'idempotencyKey'>,
  read: readonly string[] = [READ],
): Promise<{ turn: ChatTurn; after?: StreamPosition }> {
  // Before a turn starts: a caller at the stream limit should retry, not find a running turn.
  waitingSignal(call.ctx).release();
  if (lastEventId(call.ctx) !== undefined) requireOneOf(call.principal, ...read);
  const resumed = await resumedTurn(call);
  if (resumed) {
    if (resumed.turn.requestDigest !== requestDigestOf(wanted)) throw otherRequest(resumed.turn.chatId);
    return resumed;
  }
  const request = { ...wanted, idempotencyKey: call.headers['idempotency-key'] };
  const start = (): Promise<ChatTurn> => startTurn(call.deps.chats, call.em, call.principal, request);
  return { turn: await call.queued(start) };
}

/**
 * The turn and position in Last-Event-ID, if the request has one.
 * @throws {InvalidRequest} for an id that is not ours, {@link NotFound} for a turn that the team does not have
 */
export async function resumedTurn({ ctx, deps, em }: Pick<TurnCall, 'ctx' | 'deps' | 'em'>, given?: string) {
  const id = lastEventId(ctx) ?? given;
  if (id === undefined) return undefined;
  const seen = parseEventId(id, (logId) => deps.events.isValidId(logId));
  if (!seen) {
    const loc = given === undefined ? ['header', 'last-event-id'] : ['query', 'last_event_id'];
    throw InvalidRequest.at(loc, 'Value should be the id of an event in a chat’s stream', id);
  }
  const turn = await em.findOne(ChatTurn, { id: seen.turnId });
  if (!turn) throw chatNotFound();
  await findChat(em, turn.chatId);
  return { turn, after: seen.position };
}

/**
 * Answers with the turn's stream from a position on.
 * @throws {Conflict} if the position is no longer known: a client with steps cannot take all of them back
 */
export async function streamTurn(
  { ctx, deps, principal }: Pick<TurnCall, 'ctx' | 'deps' | 'principal'>,
  { turn, after }: { turn: FollowedTurn; after?: StreamPosition },
  include: 'tools' | undefined,
  follow = followTurn,
): Promise<ContentResponse> {
  const em = (): EntityManager => forTeam(deps.orm.em, principal.teamId);
  const tools = include === 'tools';
  if (tools && !(await knowsPosition(deps.events, turn, after))) throw positionLost(turn.chatId);
  return sseResponse(ctx, {
    headers: UI_STREAM_HEADERS,
    stream: (signal) => follow(deps.events, { turn, tools, after, em, signal }),
  });
}

/**
 * Waits for the turn's end. The turn continues if the client goes away.
 * @throws {HttpError} if it failed or was cancelled, {@link DependencyDown} if this process stops first
 */
export async function endOfTurn({ ctx, deps, principal }: TurnCall, turn: ChatTurn): Promise<ChatTurn> {
  const em = (): EntityManager => forTeam(deps.orm.em, principal.teamId);
  const { signal, release } = waitingSignal(ctx);
  try {
    const ended = await untilTurnEnded(deps.events, turn, em, signal);
    if (!ended) {
      throw new DependencyDown(
        'This server is stopping, but the turn continues. Read the chat for its answer.',
        'stopping',
        {
          fields: { chat_id: turn.chatId },
        },
      );
    }
    if (ended.status !== 'completed') throw turnWithoutAnswer(ended);
    return ended;
  } finally {
    release();
  }
}
