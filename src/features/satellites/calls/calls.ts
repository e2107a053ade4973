/** Queries satellites through the event log, from any process. */
import { randomUUID } from 'node:crypto';
import type { Orm } from '../../../db/orm.ts';
import { forTeam } from '../../../db/team-filter.ts';
import type { Clock } from '../../../platform/clock.ts';
import { EventLogError, type EventLog } from '../../../platform/event-log/index.ts';
import { type Satellite, SatelliteRequest } from '../entities.ts';
import type { Route } from '../liveness.ts';
import { MAX_ANSWER_BYTES, type RequestMessage } from '@casebook/wire';
import {
  SatelliteOffline,
  SatelliteRefused,
  SatelliteTimeout,
  SatelliteUnknown,
  type SatelliteAnswer,
  type SatelliteCall,
  type SatelliteCalls,
} from './port.ts';
import { Leftovers } from './leftovers.ts';
import { Connections } from './reconnect.ts';
import { ReplyReader } from './reply-reader.ts';
import { readReplyEvent, replyEvent, replyStream, type InboxCancel, type InboxRequest } from './reply-stream.ts';
import { Signal } from './signal.ts';

/** The first attempt, and one more after a lost connection. */
const MAX_ATTEMPTS = 2;
/** With `onWait`: the request itself may be what ends the satellite. */
const MAX_ATTEMPTS_WAITING = 5;
/** Time that a call may take beyond the timeout of the system behind the satellite, in ms. */
const GRACE_MS = 5_000;
/** Interval at which the satellite's row is checked while waiting for an answer: a killed node reports nothing. */
const CHECK_MS = 500;
/** How long after a cancellation parts of the answer may still be stored, in ms. */
const DRAIN_MS = 3_000;

export interface SatelliteCallsDeps {
  orm: Orm;
  events: EventLog;
  clock: Clock;
  /** {@link RECONNECT_MS} by default. */
  reconnectMs?: number;
}

export function createSatelliteCalls(deps: SatelliteCallsDeps): SatelliteCalls {
  const leftovers = new Leftovers(deps.events);
  const connections = new Connections(deps);
  return { ask: (call, signal) => new Question(deps, leftovers, connections, call, signal).answer() };
}

class Question {
  readonly #deps: SatelliteCallsDeps;
  readonly #leftovers: Leftovers;
  readonly #connections: Connections;
  readonly #call: SatelliteCall;
  readonly #signal: AbortSignal;
  readonly #requestId: string;
  #deadline: number;
  readonly #reply = new ReplyReader();
  readonly #changed = new Signal();
  #attempt = 0;
  #route: Route | undefined;
  #name = '';

  constructor(
    deps: SatelliteCallsDeps,
    leftovers: Leftovers,
    connections: Connections,
    call: SatelliteCall,
    signal: AbortSignal,
  ) {
    this.#deps = deps;
    this.#leftovers = leftovers;
    this.#connections = connections;
    this.#call = call;
    this.#signal = signal;
    this.#requestId = call.requestId ?? randomUUID();
    this.#deadline = this.#answerBy();
  }

  #answerBy(): number {
    return Date.now() + this.#call.timeoutMs + GRACE_MS;
  }

  /** Whether another process may take over the waiting. */
  get #shared(): boolean {
    return this.#call.requestId !== undefined;
  }

  async answer(): Promise<SatelliteAnswer> {
    this.#signal.throwIfAborted();
    const afterId = this.#shared ? await this.#recall() : undefined;
    const earlier = this.#reply.state();
    if (earlier.state === 'answered') return { text: earlier.text, tookMs: earlier.tookMs };
    const row = await this.#find();
    if (!row) throw new SatelliteUnknown('Satellite not found.');
    this.#name = row.name;

    const listening = new AbortController();
    const following = this.#follow(afterId, AbortSignal.any([listening.signal, this.#signal]));
    const onAbort = (): void => this.#changed.raise();
    this.#signal.addEventListener('abort', onAbort, { once: true });
    try {
      if (this.#attempt === 0) await this.#sendTo(await this.#connection(row));
      return await this.#wait();
    } catch (error) {
      if (this.#signal.aborted ? (this.#call.isGivenUp?.() ?? true) : error instanceof SatelliteTimeout)
        await this.#cancel();
      throw error;
    } finally {
      this.#signal.removeEventListener('abort', onAbort);
      listening.abort();
      await following;
      // Nothing else can know the id of a new request.
      if (!this.#shared && this.#attempt > 0) this.#removeReply();
    }
  }

  /** Without an answer, parts may be in transit: they would restart the stream. */
  #removeReply(): void {
    const stream = replyStream(this.#requestId);
    const remove = (): void => this.#leftovers.add(stream);
    if (this.#reply.isOver) remove();
    else setTimeout(remove, DRAIN_MS).unref();
  }

  /** What earlier attempts at this request left behind. @returns where the stream ends */
  async #recall(): Promise<string | undefined> {
    const { events, orm, clock } = this.#deps;
    const { teamId, satelliteId, target } = this.#call;
    const past = await events.read(replyStream(this.#requestId), { limit: 10_000 });
    for (const event of past) this.#add(event);
    this.#takeOver();
    if (this.#attempt === 0) {
      const [system, asked] =
        target.kind === 'mcp'
          ? [target.server, target.tool]
          : [target.kind === 'integration' ? target.integration : target.connector, target.operation];
      const now = clock.now();
      const row = {
        id: this.#requestId,
        teamId,
        satelliteId,
        target: `${system}/${asked}`,
        createdAt: now,
        updatedAt: now,
      };
      await forTeam(orm.em, teamId).upsert(SatelliteRequest, row, { onConflictAction: 'ignore' });
    }
    return past.at(-1)?.id;
  }

  /** Another waiter may have sent it since. @returns whether one has */
  #takeOver(): boolean {
    const { attempts, to } = this.#reply.sent;
    if (!to || attempts <= this.#attempt) return false;
    this.#attempt = attempts;
    this.#route = { inbox: '', ...to };
    return true;
  }

  #add(event: Parameters<typeof readReplyEvent>[0]): void {
    const { attempt, event: said } = readReplyEvent(event);
    this.#reply.add(attempt, said);
  }

  async #follow(afterId: string | undefined, signal: AbortSignal): Promise<void> {
    for await (const event of this.#deps.events.tail(replyStream(this.#requestId), { afterId, signal })) {
      this.#add(event);
      this.#changed.raise();
    }
  }

  async #wait(): Promise<SatelliteAnswer> {
    for (;;) {
      const reply = this.#reply.state();
      if (reply.state === 'answered') return { text: reply.text, tookMs: reply.tookMs };
      if (reply.state === 'refused') throw new SatelliteRefused(reply.code, reply.message);
      if (reply.state === 'dropped') await this.#sendAgain();
      const left = this.#deadline - Date.now();
      if (left <= 0) throw this.#late();
      const woken = await this.#changed.wait(Math.min(CHECK_MS, left));
      this.#signal.throwIfAborted();
      if (!woken && (await this.#connectionIsGone())) await this.#sendAgain();
    }
  }

  async #connectionIsGone(): Promise<boolean> {
    const row = await this.#find();
    // A satellite whose registration was deleted registers again, over the same connection.
    return row !== null && this.#connections.routeOf(row)?.connectionId !== this.#route?.connectionId;
  }

  /**
   * Waits until the satellite is back and sends the request once more. @throws {SatelliteOffline} when that is no use
   */
  async #sendAgain(): Promise<void> {
    // Events in transit when the connection was lost may have arrived since.
    if (this.#reply.isOver || this.#takeOver()) return;
    const lost = this.#route;
    if (this.#attempt >= (this.#call.onWait ? MAX_ATTEMPTS_WAITING : MAX_ATTEMPTS)) {
      const times = this.#attempt === 2 ? 'twice' : `${this.#attempt} times`;
      throw new SatelliteOffline(
        `The satellite "${this.#name}" lost its connection ${times} during the request; there is no answer.`,
        (await this.#find())?.lastHeartbeatAt,
      );
    }
    const route = await this.#connection(await this.#find());
    if (route && this.#call.acts && route.instance !== lost?.instance) throw await this.#unknowable();
    await this.#sendTo(route);
  }

  /** @returns undefined when the answer arrived, or another waiter sent the request, meanwhile */
  #connection(row: Satellite | null): Promise<Route | undefined> {
    const isOver = (): boolean => this.#reply.isOver || this.#takeOver();
    const waiting = { row, name: this.#name, lost: this.#route, deadline: this.#deadline, isOver };
    return this.#connections.until(this.#call, waiting, this.#signal);
  }

  async #sendTo(route: Route | undefined): Promise<void> {
    if (route) await this.#send(route);
  }

  async #send(route: Route): Promise<void> {
    const { timeoutMs, target, maxBytes = MAX_ANSWER_BYTES, satelliteId } = this.#call;
    const { events } = this.#deps;
    this.#attempt++;
    this.#route = route;
    if (this.#call.onWait) this.#deadline = this.#answerBy();
    const request: RequestMessage = { type: 'request', id: this.#requestId, timeoutMs, maxBytes, target };
    const { connectionId, instance } = route;
    const message: InboxRequest = {
      satelliteId,
      connectionId,
      attempt: this.#attempt,
      deadline: this.#deadline,
      request,
    };
    const to = { type: 'sent', connectionId, instance } as const;
    // Messages about an earlier attempt, now or later, no longer decide anything.
    this.#reply.add(this.#attempt, to);
    const sent = replyEvent(this.#attempt, to);
    const note = async (): Promise<void> => {
      if (this.#shared) await events.append(replyStream(this.#requestId), [sent]);
    };
    try {
      // A successor must know which process may have acted, even if this one is killed between the two steps.
      const noted = this.#call.acts ? await note() : note();
      await Promise.all([events.append(route.inbox, [{ type: 'request', data: { ...message } }]), noted]);
    } catch (error) {
      if (error instanceof EventLogError && error.kind === 'too_large')
        throw new SatelliteRefused('bad_request', 'The query itself is too large to send to a satellite.');
      throw error;
    }
  }

  /** Best effort: a satellite that is not notified stops at its own timeout. */
  async #cancel(): Promise<void> {
    // The stream it was sent to may be gone.
    const inbox = (await this.#find().catch(() => null))?.inbox;
    if (!inbox) return;
    const message: InboxCancel = { satelliteId: this.#call.satelliteId, requestId: this.#requestId };
    await this.#deps.events.append(inbox, [{ type: 'cancel', data: { ...message } }]).catch(() => undefined);
  }

  async #unknowable(): Promise<SatelliteOffline> {
    return new SatelliteOffline(
      `The satellite "${this.#name}" restarted during the request; whether it acted is unknown, and the request was not repeated.`,
      (await this.#find())?.lastHeartbeatAt,
    );
  }

  #late(): SatelliteTimeout {
    return new SatelliteTimeout(
      `The satellite "${this.#name}" did not answer within ${Math.round(this.#call.timeoutMs / 1_000)} s.`,
    );
  }

  #find(): Promise<Satellite | null> {
    return this.#connections.find(this.#call);
  }
}
