/** A telemetry system behind a satellite, as the telemetry sources query it. */
import { QueryError, type Transport } from '@casebook/connectors';
import type { RequestTarget } from '@casebook/wire';
import type { SourceCall } from '../../sources/index.ts';
import { SatelliteCallError, type SatelliteCalls } from '../calls/port.ts';
import type { KnownSatellite } from './port.ts';
import type { RequestIds } from './request-ids.ts';
import { reasonOf } from './words.ts';

/** Timeout of one query of a source, in ms: a tool call makes many. */
const QUERY_MS = 30_000;

/** What the sources of one tool call share. */
export interface Asking extends SourceCall {
  calls: SatelliteCalls;
  idOf: RequestIds;
}

/** Runs operations of one connector. */
export function overSatellite(asking: Asking, satellite: KnownSatellite, connector: string): Transport {
  const { teamId, calls, idOf, isGivenUp } = asking;
  return {
    place: `satellite ${satellite.name} (${connector})`,
    async call(operation, parameters, { signal, maxBytes }) {
      const given = Object.fromEntries(Object.entries(parameters).filter(([, value]) => value !== undefined));
      const target: RequestTarget = { kind: 'connector', connector, operation, parameters: given };
      const requestId = idOf(satellite.id, target);
      const call = { teamId, satelliteId: satellite.id, target, timeoutMs: QUERY_MS, maxBytes, requestId, isGivenUp };
      try {
        return JSON.parse((await calls.ask(call, signal)).text);
      } catch (error) {
        signal.throwIfAborted();
        if (error instanceof SatelliteCallError)
          throw new QueryError('failed', reasonOf(error, satellite.name), { cause: error });
        if (error instanceof SyntaxError)
          throw new QueryError(
            'failed',
            `Satellite ${satellite.name} sent an answer from ${connector} that is not JSON.`,
          );
        throw error;
      }
    },
  };
}
