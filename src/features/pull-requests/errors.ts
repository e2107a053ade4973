import { Conflict, InvalidRequest, NotFound } from '../../http/errors.ts';
import type { ChangeProblem } from './proposal/refused.ts';

export const pullRequestNotFound = (): NotFound => new NotFound('Pull request not found.');

/** The change was checked when it was suggested; its base has moved since. */
export const changeConflicts = (base: string, conflicts: readonly ChangeProblem[]): Conflict =>
  new Conflict(`The change does not apply to ${base} any more.`, 'change_conflicts', { fields: { conflicts } });

export const isArchived = (fullName: string): Conflict =>
  new Conflict(`${fullName} is archived: it takes no changes.`, 'repository_archived');

export const noSuchBranch = (branch: string): InvalidRequest =>
  InvalidRequest.at(['body', 'base'], 'Value error, the repository has no such branch', branch);

export const nothingProposed = (field: string, value: string): InvalidRequest =>
  InvalidRequest.at(['body', field], 'Value error, it suggests no pull request', value);
