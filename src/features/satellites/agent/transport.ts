/** A telemetry system behind a satellite, as the telemetry sources query it. */
import { QueryError, type Transport } from '@casebook/connectors';
import type { RequestTarget } from '@casebook/wire';
import { uuidOf } from '../../../platform/uuid.ts';
import type { SourceCall } from '../../sources/index.ts';
import { SatelliteCallError, SatelliteRefused, SatelliteTimeout, type SatelliteCalls } from '../calls/port.ts';
import { reasonOf } from './ask.ts';
import type { KnownSatellite } from './port.ts';

/** Timeout of one query of a source, in ms: a tool call makes many. */
const QUERY_MS = 30_000;

/** What the sources of one tool call share. */
export interface Asking extends SourceCall {
  calls: SatelliteCalls;
  idOf: RequestIds;
}

/** Runs operations of one of the satellite's connectors. */
export const overSatellite = (asking: Asking, satellite: Reached, connector: string, timeoutMs = QUERY_MS): Transport =>
  overTargets(asking, satellite, {
    name: connector,
    timeoutMs,
    targetOf: (operation, parameters) => ({ kind: 'connector', connector, operation, parameters }),
  });

type Reached = Pick<KnownSatellite, 'id' | 'name'>;

/** Runs operations of whatever the satellite reaches under a name. */
export function overTargets(
  { teamId, calls, idOf, isGivenUp, onWait }: Pick<Asking, 'teamId' | 'calls' | 'idOf' | 'isGivenUp' | 'onWait'>,
  satellite: Reached,
  to: {
    name: string;
    timeoutMs: number;
    targetOf(operation: string, parameters: Record<string, unknown>): RequestTarget;
  },
): Transport {
  const { name, timeoutMs } = to;
  return {
    place: `satellite ${satellite.name} (${name})`,
    async call(operation, parameters, { signal, maxBytes }) {
      const given = Object.fromEntries(Object.entries(parameters).filter(([, value]) => value !== undefined));
      const target = to.targetOf(operation, given);
      const requestId = idOf(satellite.id, target);
      const call = { teamId, satelliteId: satellite.id, target, timeoutMs, maxBytes, requestId, isGivenUp, onWait };
      try {
        return JSON.parse((await calls.ask(call, signal)).text);
      } catch (error) {
        signal.throwIfAborted();
        if (error instanceof SatelliteCallError)
          throw new QueryError(codeOf(error), reasonOf(error, satellite.name), { cause: error });
        if (error instanceof SyntaxError)
          throw new QueryError('failed', `Satellite ${satellite.name} sent an answer from ${name} that is not JSON.`);
        throw error;
      }
    },
  };
}

/** The code that the connector gave, if it was asked at all. */
function codeOf(error: SatelliteCallError): QueryError['code'] {
  if (error instanceof SatelliteTimeout) return 'timeout';
  return error instanceof SatelliteRefused && error.code !== 'cancelled' ? error.code : 'failed';
}

export type RequestIds = (satelliteId: string, target: RequestTarget) => string;

/**
 * A request's id is derived from the tool call, the target and the number of earlier requests to it, so that a retry
 * finds the answers of an earlier attempt, while a tool that asks the same twice gets two answers.
 */
export function requestIdsOf(toolCallId: string): RequestIds {
  const asked = new Map<string, number>();
  return (satelliteId, target) => {
    // Code builds the targets, so equal ones have their members in the same order.
    const question = JSON.stringify([toolCallId, satelliteId, target]);
    const occurrence = asked.get(question) ?? 0;
    asked.set(question, occurrence + 1);
    return uuidOf(`${occurrence} ${question}`);
  };
}
