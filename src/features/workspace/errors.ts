import {
  Conflict,
  DependencyDown,
  Forbidden,
  HttpError,
  InvalidRequest,
  NotFound,
  PreconditionFailed,
} from '../../http/errors.ts';
import type { EditProblem } from './edit.ts';
import { WorkspaceConflict, WorkspaceError, type WorkspaceErrorCode } from './port.ts';

/** Where in the request the path is, for a 422. */
export type PathPlace = ['query' | 'body', ...(string | number)[]];

/**
 * Runs an operation on the workspace for an API request.
 * @throws {HttpError} for what the caller should know
 */
export async function answering<T>(place: PathPlace, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof WorkspaceError)) throw error;
    throw asHttpError(error, place);
  }
}

function asHttpError(error: WorkspaceError, place: PathPlace): HttpError {
  const fields = error instanceof WorkspaceConflict ? { paths: error.paths } : {};
  return ANSWERS[error.code](error.message, place, { cause: error, fields });
}

type Answer = (
  message: string,
  place: PathPlace,
  options: { cause: Error; fields: Record<string, unknown> },
) => HttpError;

const invalid: Answer = (message, place) => InvalidRequest.at(place, `Value error, ${message}`);
const missing: Answer = (message, _place, options) => new NotFound(message, 'not_found', options);
const conflict =
  (code: string): Answer =>
  (message, _place, options) =>
    new Conflict(message, code, options);
const passing =
  (code: string): Answer =>
  (message, _place, options) =>
    new DependencyDown(message, code, options);

const ANSWERS: Record<WorkspaceErrorCode, Answer> = {
  invalid_path: invalid,
  invalid,
  not_found: missing,
  unknown_revision: missing,
  not_a_file: conflict('not_a_file'),
  not_a_directory: conflict('not_a_directory'),
  clash: conflict('clash'),
  conflict: conflict('conflict'),
  closed: conflict('closed'),
  read_only: (message, _place, options) => new Forbidden(message, 'read_only', options),
  too_large: (message, _place, options) => new HttpError(413, 'too_large', message, options),
  timeout: passing('timeout'),
  busy: passing('busy'),
};

export const alreadyThere = (path: string): Conflict => new Conflict(`${path} already exists.`, 'exists');

/** @param id of the current content; null if there is none */
export const changedSince = (path: string, id: string | null): PreconditionFailed =>
  new PreconditionFailed(
    id === null ? `${path} does not exist.` : `${path} is not what the change is based on.`,
    'changed_since',
    { fields: { path, id } },
  );

/** @param paths whose contents are not the expected ones */
export const notAsExpected = (paths: readonly string[]): Conflict =>
  new Conflict(
    `Not what the change is based on: ${paths.slice(0, 5).join(', ')}${paths.length > 5 ? ' …' : ''}`,
    'conflict',
    {
      fields: { paths },
    },
  );

export const doesNotApply = (path: string, { problem, matches, lines }: EditProblem): Conflict =>
  new Conflict(`${path}: ${problem}`, matches === 0 ? 'no_match' : 'several_matches', {
    fields: { path, matches, lines },
  });
