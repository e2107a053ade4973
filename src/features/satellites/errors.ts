import { Conflict, DependencyDown, Forbidden, HttpError, InvalidRequest, NotFound } from '../../http/errors.ts';
import {
  SatelliteOffline,
  SatelliteRefused,
  SatelliteTimeout,
  SatelliteUnknown,
  type SatelliteCallError,
} from './calls/port.ts';
import type { AnswerError } from '@casebook/wire';

export const satelliteNotFound = (): NotFound => new NotFound('Satellite not found.');

export const wrongTeam = (): Forbidden =>
  new Forbidden('This API key does not belong to the team in team_id.', 'wrong_team');

export const noSatelliteOffers = (what: string): NotFound =>
  new NotFound(`No satellite of the team has ${what}.`, 'not_offered');

export const severalSatellitesOffer = (what: string, names: readonly string[]): Conflict =>
  new Conflict(
    `Several satellites have ${what}: ${names.slice(0, 20).join(', ')}. Choose one with satellite_id.`,
    'ambiguous',
  );

/** @param fields similar names, and what is unknown */
export const serviceNotSeen = (service: string, fields: Record<string, unknown>): NotFound =>
  new NotFound(`No call of "${service}" was seen.`, 'unknown_service', { fields });

/**
 * Maps a satellite's failure to answer to an API error.
 * @param at path of the parameters in the request body
 */
export function asHttpError(error: SatelliteCallError, at: string): HttpError {
  if (error instanceof SatelliteUnknown) return satelliteNotFound();
  if (error instanceof SatelliteOffline) {
    const fields = { last_seen: error.lastSeenAt?.toISOString() ?? null };
    return new DependencyDown(error.message, 'satellite_offline', { fields });
  }
  if (error instanceof SatelliteTimeout) return new HttpError(504, 'satellite_timeout', error.message);
  if (!(error instanceof SatelliteRefused)) throw error;
  return refusals[error.code](error.message, at);
}

const refusals: Record<AnswerError, (message: string, at: string) => HttpError> = {
  bad_request: (message, at) => InvalidRequest.at(['body', at], `Value error, ${message}`),
  not_found: (message) => new NotFound(message, 'not_offered'),
  timeout: (message) => new HttpError(504, 'satellite_timeout', message),
  busy: (message) => new DependencyDown(message, 'satellite_busy'),
  cancelled: (message) => new DependencyDown(message, 'query_cancelled'),
  too_large: (message) => new HttpError(502, 'answer_too_large', message),
  failed: (message) => new HttpError(502, 'query_failed', message),
};
