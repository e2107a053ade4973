import { z } from 'zod';
import { ownerAndName } from '../shared/code-host/names.ts';
import type { HostCall, HostPullRequest, NewPullRequest } from '../shared/code-host/port.ts';
import { orNone } from '../shared/code-host/refusals.ts';
import type { GitHubApi } from './api.ts';
import { conflictOn } from './conflicts.ts';
import { checksOf, reviewOf } from './verdicts.ts';

const pullRow = z.object({
  number: z.number(),
  html_url: z.url(),
  title: z.string(),
  body: z.string().nullish(),
  state: z.enum(['open', 'closed']),
  draft: z.boolean().optional(),
  merged: z.boolean(),
  merge_commit_sha: z.string().nullish(),
  head: z.object({ ref: z.string(), sha: z.string() }),
  base: z.object({ ref: z.string() }),
});
const listed = z.object({ number: z.number(), head: z.object({ ref: z.string() }) });
const checkRun = z.object({ status: z.string(), conclusion: z.string().nullable() });
const combined = z.object({ statuses: z.array(z.object({ state: z.string() })) }).transform(({ statuses }) => statuses);
const review = z.object({ state: z.string(), user: z.object({ id: z.number() }).nullable() });

const PULLS = '/repos/{owner}/{repo}/pulls';
const PULL = `${PULLS}/{pull_number}`;

export async function pullRequest(
  api: GitHubApi,
  fullName: string,
  number: number,
  call: HostCall,
): Promise<HostPullRequest> {
  const row = await api.get(PULL, { ...ownerAndName(fullName), pull_number: number }, pullRow, call);
  return await complete(api, fullName, row, call);
}

export async function findPullRequest(
  api: GitHubApi,
  fullName: string,
  head: string,
  call: HostCall,
): Promise<HostPullRequest | undefined> {
  const where = ownerAndName(fullName);
  const query = { ...where, head: `${where.owner}:${head}`, state: 'all', sort: 'created', direction: 'desc' };
  const list = { item: listed, maxPages: 1 };
  const found = await api.list(PULLS, query, list, call);
  // GitHub ignores a filter that it does not understand.
  const newest = found.find((row) => row.head.ref === head);
  return newest && (await pullRequest(api, fullName, newest.number, call));
}

export async function createPullRequest(
  api: GitHubApi,
  fullName: string,
  { isDraft, ...wanted }: NewPullRequest,
  call: HostCall,
): Promise<HostPullRequest> {
  const parameters = { ...ownerAndName(fullName), ...wanted, draft: isDraft };
  const opened = await conflictOn(/already exists/iu, () => api.send(`POST ${PULLS}`, parameters, pullRow, call));
  return await complete(api, fullName, opened, call);
}

export async function updatePullRequest(
  api: GitHubApi,
  fullName: string,
  number: number,
  changes: { title?: string; body?: string; state?: 'open' | 'closed' },
  call: HostCall,
): Promise<HostPullRequest> {
  const parameters = { ...ownerAndName(fullName), pull_number: number, ...changes };
  const updated = await api.send(`PATCH ${PULL}`, parameters, pullRow, call);
  return await complete(api, fullName, updated, call);
}

/** Adds what CI and reviewers say. */
async function complete(
  api: GitHubApi,
  fullName: string,
  row: z.output<typeof pullRow>,
  call: HostCall,
): Promise<HostPullRequest> {
  const where = ownerAndName(fullName);
  const commit = { ...where, ref: row.head.sha };
  const runs = { item: checkRun, member: 'check_runs', maxPages: 10 };
  const reviews = { item: review, maxPages: 10 };
  // Fine-grained tokens cannot be allowed to read check runs, and often are not to read statuses.
  const [checkRuns, statuses, reviewed] = await Promise.all([
    orNone(api.list('/repos/{owner}/{repo}/commits/{ref}/check-runs', commit, runs, call)),
    orNone(api.get('/repos/{owner}/{repo}/commits/{ref}/status', { ...commit, per_page: 100 }, combined, call)),
    api.list(`${PULL}/reviews`, { ...where, pull_number: row.number }, reviews, call),
  ]);
  return {
    number: row.number,
    url: row.html_url,
    title: row.title,
    body: row.body ?? '',
    head: row.head.ref,
    base: row.base.ref,
    state: row.merged ? 'merged' : row.state,
    isDraft: row.draft ?? false,
    headCommit: row.head.sha,
    mergeCommit: row.merged ? (row.merge_commit_sha ?? null) : null,
    checks: checksOf(
      checkRuns,
      statuses.map(({ state }) => state),
    ),
    review: reviewOf(reviewed),
  };
}

const commentRow = z.object({
  id: z.number(),
  html_url: z.url(),
  body: z.string().nullish(),
  user: z.object({ login: z.string() }).nullable(),
});

/** @param login whose comments may be edited: a marker may have been quoted by somebody else */
export async function comment(
  api: GitHubApi,
  fullName: string,
  number: number,
  { marker, body, login }: { marker: string; body: string; login: string },
  call: HostCall,
): Promise<string> {
  const where = ownerAndName(fullName);
  const text = body.includes(marker) ? body : `${body}\n\n${marker}`;
  const route = '/repos/{owner}/{repo}/issues/{issue_number}/comments';
  const list = { item: commentRow, maxPages: 20 };
  const known = await api.list(route, { ...where, issue_number: number }, list, call);
  const own = known.find((row) => row.user?.login === login && row.body?.includes(marker));
  if (own?.body === text) return own.html_url;
  const written = own
    ? await api.send(
        'PATCH /repos/{owner}/{repo}/issues/comments/{comment_id}',
        { ...where, comment_id: own.id, body: text },
        commentRow,
        call,
      )
    : await api.send(`POST ${route}`, { ...where, issue_number: number, body: text }, commentRow, call);
  return written.html_url;
}
