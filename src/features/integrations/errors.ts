import type { ConnectionTest } from '@casebook/connectors';
import { Conflict, DependencyDown, InvalidRequest, NotFound, type HttpError } from '../../http/errors.ts';

export const integrationNotFound = (): NotFound => new NotFound('Integration not found.');

export const nameTaken = (name: string): Conflict =>
  new Conflict(
    `The team has an integration "${name}" with other settings. Update it, or choose another name.`,
    'name_taken',
  );

/** Somebody else's change came first. */
export const changedMeanwhile = (name: string): Conflict =>
  new Conflict(`"${name}" was changed meanwhile. Look at it again, and repeat what you want changed.`, 'changed');

export const notConnected = (vendor: string): Conflict =>
  new Conflict(`${vendor} is not connected. Connect it first.`, 'not_connected');

/** The consent at the vendor was given elsewhere, too late, or is used up. */
export const wrongState = (): InvalidRequest =>
  InvalidRequest.at(['body', 'state'], 'Value error, this sign-in is unknown, has expired or was used; start again');

/**
 * Why a connection is not stored: 422 names the setting at fault, 503 means that the system did not answer.
 * @param fieldOf the interface's name of a connector's setting; undefined if the request has none
 */
export function failedTest(
  { status, field, message }: ConnectionTest,
  fieldOf: (field: string | undefined) => string | undefined,
): HttpError {
  const named = fieldOf(field);
  if (status === 'unreachable') {
    return new DependencyDown(message, 'vendor_unreachable', { fields: named === undefined ? {} : { field: named } });
  }
  return InvalidRequest.at(named === undefined ? ['body'] : ['body', named], `Value error, ${message}`);
}

/** The vendor does not take the code. */
export const wrongCode = (message: string): InvalidRequest =>
  InvalidRequest.at(['body', 'code'], `Value error, ${message}`);
