import { NotFound } from '../../http/errors.ts';

export const repositoryNotFound = (fullName: string): NotFound =>
  new NotFound(`The team has no repository "${fullName}" connected.`, 'repository_not_found');

export const codeHostNotFound = (): NotFound => new NotFound('Code host not found.', 'code_host_not_found');
