/** Finds the connection of a satellite, and waits for one that should be back soon. */
import { setTimeout as sleep } from 'node:timers/promises';
import { LRUCache } from 'lru-cache';
import type { Orm } from '../../../db/orm.ts';
import { forTeam } from '../../../db/team-filter.ts';
import type { Clock } from '../../../platform/clock.ts';
import { Satellite } from '../entities.ts';
import { routeOf, type Route } from '../liveness.ts';
import { RECONNECT_MS, SatelliteOffline, type SatelliteCall } from './port.ts';

/** A satellite away for longer is not expected back, in ms. */
const GONE_MS = 600_000;
const POLL_MS = 200;

interface Waiting {
  row: Satellite | null;
  name: string;
  /** The connection that was lost; undefined before the first attempt. */
  lost: Route | undefined;
  /** When to give up on a lost connection if the call has no `onWait`, unix ms. */
  deadline: number;
  /** Whether there is nothing left to wait for. */
  isOver: () => boolean;
}

interface ConnectionsDeps {
  orm: Orm;
  clock: Clock;
  reconnectMs?: number;
}

export class Connections {
  readonly #deps: ConnectionsDeps;
  /** By satellite: when it had last been seen when a call waited in vain. An absence is waited out once. */
  readonly #inVain = new LRUCache<string, number>({ max: 1_000 });

  constructor(deps: ConnectionsDeps) {
    this.#deps = deps;
  }

  find({ teamId, satelliteId }: Pick<SatelliteCall, 'teamId' | 'satelliteId'>): Promise<Satellite | null> {
    return forTeam(this.#deps.orm.em, teamId).findOne(Satellite, { id: satelliteId });
  }

  routeOf(row: Satellite): Route | undefined {
    return routeOf(row, this.#deps.clock.now());
  }

  /**
   * @returns a connection other than the lost one; undefined when `isOver` comes first
   * @throws {SatelliteOffline} when there is none in time
   */
  async until(
    call: Pick<SatelliteCall, 'teamId' | 'satelliteId' | 'onWait'>,
    { row, name, lost, deadline, isOver }: Waiting,
    signal: AbortSignal,
  ): Promise<Route | undefined> {
    let lastSeenAt = row?.lastHeartbeatAt;
    const isAwaited = call.onWait !== undefined && this.#isExpected(call.satelliteId, lastSeenAt);
    const until = isAwaited
      ? Date.now() + (this.#deps.reconnectMs ?? RECONNECT_MS)
      : lost && !call.onWait
        ? deadline
        : 0;
    let waiting: Disposable | undefined;
    try {
      for (;;) {
        // A satellite whose registration was deleted registers again.
        lastSeenAt = row?.lastHeartbeatAt ?? lastSeenAt;
        const route = row && this.routeOf(row);
        if (route && route.connectionId !== lost?.connectionId) return route;
        if (Date.now() >= until) break;
        waiting ??= call.onWait?.(`satellite ${name}`);
        await sleep(POLL_MS, undefined, { signal }).catch(() => signal.throwIfAborted());
        if (isOver()) return undefined;
        row = await this.find(call);
      }
    } finally {
      waiting?.[Symbol.dispose]();
    }
    if (isAwaited && lastSeenAt) this.#inVain.set(call.satelliteId, lastSeenAt.getTime());
    throw new SatelliteOffline(
      lost
        ? `The satellite "${name}" lost its connection and did not come back in time during the request; there is no answer.`
        : `The satellite "${name}" is offline; it was last seen at ${lastSeenAt!.toISOString()}.`,
      lastSeenAt,
    );
  }

  #isExpected(satelliteId: string, lastSeenAt: Date | undefined): boolean {
    if (!lastSeenAt) return true;
    if (this.#inVain.get(satelliteId) === lastSeenAt.getTime()) return false;
    return this.#deps.clock.now().getTime() - lastSeenAt.getTime() < GONE_MS;
  }
}
