/** Messages for people and models when a satellite does not answer. */
import { SatelliteOffline, SatelliteRefused, type SatelliteCallError } from '../calls/port.ts';
import type { KnownSatellite } from './port.ts';

/** @returns why there is no answer and, if the satellite is away, when it was last seen */
export function reasonOf(error: SatelliteCallError, satellite: string): string {
  if (error instanceof SatelliteOffline) {
    const seen = error.lastSeenAt?.toISOString();
    const since = seen === undefined || error.message.includes(seen) ? '' : ` It was last seen at ${seen}.`;
    return `${error.message}${since}`;
  }
  if (error instanceof SatelliteRefused) return `Satellite ${satellite}: ${error.message}`;
  return error.message;
}

export function offlineWords({ name, lastSeenAt }: KnownSatellite): string {
  return `Satellite ${name} is offline; it was last seen at ${lastSeenAt.toISOString()}.`;
}
