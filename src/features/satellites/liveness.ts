/**
 * Derives a satellite's status from its row alone, so any process can do it, even when the node that held the
 * connection is gone. Pure.
 */
import type { Satellite } from './entities.ts';

/** A satellite silent for this long is offline, whatever its row says, in ms. */
export const OFFLINE_AFTER_MS = 30_000;
/** Age from which a heartbeat is late, in ms. */
const LATE_AFTER_MS = 15_000;
/** A clock this far off makes displayed times misleading, in ms. */
const CLOCK_TOLERANCE_MS = 60_000;

export const SATELLITE_STATUSES = ['online', 'degraded', 'offline'] as const;
export type SatelliteStatus = (typeof SATELLITE_STATUSES)[number];

type Facts = Pick<Satellite, 'connectionId' | 'inbox' | 'instance' | 'lastHeartbeatAt' | 'clockOffsetMs' | 'health'>;

/** Where to send requests to a satellite. */
export interface Route {
  inbox: string;
  connectionId: string;
  /** The satellite's process. */
  instance: string;
}

/** The route to a connected satellite; otherwise undefined. */
export function routeOf(
  satellite: Pick<Satellite, 'connectionId' | 'inbox' | 'lastHeartbeatAt' | 'instance'>,
  now: Date,
): Route | undefined {
  const { inbox, connectionId, lastHeartbeatAt, instance } = satellite;
  if (inbox == null || connectionId == null) return undefined;
  return now.getTime() - lastHeartbeatAt.getTime() < OFFLINE_AFTER_MS ? { inbox, connectionId, instance } : undefined;
}

/** The problems of a connected satellite, in sentences; empty when there are none. */
export function problemsOf(satellite: Facts, now: Date): string[] {
  const problems: string[] = [];
  const age = now.getTime() - satellite.lastHeartbeatAt.getTime();
  if (age >= LATE_AFTER_MS) problems.push(`Last heartbeat ${Math.round(age / 1_000)} s ago.`);
  if (Math.abs(satellite.clockOffsetMs) > CLOCK_TOLERANCE_MS) {
    const seconds = Math.round(satellite.clockOffsetMs / 1_000);
    problems.push(`Its clock is ${Math.abs(seconds)} s ${seconds > 0 ? 'ahead' : 'behind'}.`);
  }
  for (const { id, of, status, message } of satellite.health) {
    if (status !== 'failing') continue;
    problems.push(`${of === 'mcp' ? 'MCP server' : 'Connector'} ${id} is failing${message ? `: ${message}` : '.'}`);
  }
  return problems;
}

/** `offline`: not connected; `degraded`: connected, with problems; `online` otherwise. */
export function statusOf(satellite: Facts, now: Date): SatelliteStatus {
  if (!routeOf(satellite, now)) return 'offline';
  return problemsOf(satellite, now).length > 0 ? 'degraded' : 'online';
}
