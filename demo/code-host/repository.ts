/** The repository of the demo on its Gitea: made, committed to, and read for deployments. */
import { z } from 'zod';
import { BRANCH, HANDLER, ORGANISATION, REPOSITORY, type DemoCommit } from './history.ts';

/** A Gitea, and a token that may do everything there. */
export interface GiteaAddress {
  url: string;
  token: string;
}

const commit = z.object({ id: z.string() });
const branch = z.object({ commit });
const file = z.object({ sha: z.string() });
const made = z.object({ commit: z.object({ sha: z.string() }) });

const FULL_NAME = `${ORGANISATION}/${REPOSITORY}`;

/** @throws with Gitea's own words when it refuses. @returns undefined where there is nothing */
async function ask(
  { url, token }: GiteaAddress,
  method: 'GET' | 'POST' | 'DELETE',
  path: string,
  { body, signal }: { body?: unknown; signal?: AbortSignal } = {},
): Promise<Response | undefined> {
  const response = await fetch(`${url}/api/v1${path}`, {
    method,
    headers: { authorization: `token ${token}`, 'content-type': 'application/json' },
    ...(body !== undefined && { body: JSON.stringify(body) }),
    ...(signal && { signal }),
  });
  if (response.status === 404) return undefined;
  if (!response.ok) throw new Error(`${method} ${path} answered ${response.status}: ${await response.text()}`);
  return response;
}

/** Makes the repository anew, with a history. Pull requests of an earlier demo go with the old one. */
export async function makeRepository(gitea: GiteaAddress, history: readonly DemoCommit[]): Promise<void> {
  if (!(await ask(gitea, 'GET', `/orgs/${ORGANISATION}`)))
    await ask(gitea, 'POST', '/orgs', { body: { username: ORGANISATION } });
  await ask(gitea, 'DELETE', `/repos/${FULL_NAME}`);
  await ask(gitea, 'POST', `/orgs/${ORGANISATION}/repos`, { body: { name: REPOSITORY, default_branch: BRANCH } });
  for (const one of history) await commitTo(gitea, one);
}

/** @returns the commit */
export async function commitTo(gitea: GiteaAddress, { message, author, files }: DemoCommit): Promise<string> {
  const changes = await Promise.all(
    Object.entries(files).map(async ([path, content]) => {
      const there = await ask(gitea, 'GET', `/repos/${FULL_NAME}/contents/${path}?ref=${BRANCH}`);
      const known = there && file.parse(await there.json());
      return {
        path,
        content: Buffer.from(content).toString('base64'),
        ...(known ? { operation: 'update', sha: known.sha } : { operation: 'create' }),
      };
    }),
  );
  const body = { branch: BRANCH, message, author, committer: author, files: changes };
  const answer = await ask(gitea, 'POST', `/repos/${FULL_NAME}/contents`, { body });
  return made.parse(await answer?.json()).commit.sha;
}

/** The newest commit of the branch that is deployed. */
export async function newestCommit(gitea: GiteaAddress, signal?: AbortSignal): Promise<string> {
  const answer = await ask(gitea, 'GET', `/repos/${FULL_NAME}/branches/${BRANCH}`, { signal });
  return branch.parse(await answer?.json()).commit.id;
}

/** The module that the service runs, at a commit. */
export async function handlerAt(gitea: GiteaAddress, at: string, signal?: AbortSignal): Promise<string> {
  const answer = await ask(gitea, 'GET', `/repos/${FULL_NAME}/raw/${HANDLER}?ref=${at}`, { signal });
  if (!answer) throw new Error(`There is no ${HANDLER} at ${at}.`);
  return answer.text();
}

/** What a reviewer does who agrees. */
export async function mergePullRequest(gitea: GiteaAddress, number: number): Promise<void> {
  await ask(gitea, 'POST', `/repos/${FULL_NAME}/pulls/${number}/merge`, { body: { Do: 'merge' } });
}
