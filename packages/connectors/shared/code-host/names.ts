import { CodeHostError } from './port.ts';

const NAME = /^(?!\.{1,2}$)[\w.-]{1,100}$/u;

/** `owner/name` as parameters of a route. @throws {CodeHostError} `not_found` for what no repository is called */
export function ownerAndName(fullName: string): { owner: string; repo: string } {
  const [owner = '', repo = '', ...rest] = fullName.split('/');
  if (rest.length > 0 || !NAME.test(owner) || !NAME.test(repo))
    throw new CodeHostError('not_found', `There is no repository ${JSON.stringify(fullName.slice(0, 200))}.`);
  return { owner, repo };
}

/** A workflow's file name or id, as part of a route. @throws {CodeHostError} `not_found` for what is neither */
export function workflowId(id: string): string {
  if (!/^(?!\.{1,2}$)[^/\\]{1,255}$/u.test(id))
    throw new CodeHostError('not_found', `There is no workflow ${JSON.stringify(id.slice(0, 300))}.`);
  return id;
}

/** @throws {CodeHostError} `not_found` for what is no id */
export function numericId(id: string, thing: string): number {
  if (!/^\d{1,15}$/u.test(id))
    throw new CodeHostError('not_found', `There is no ${thing} ${JSON.stringify(id.slice(0, 100))}.`);
  return Number(id);
}
