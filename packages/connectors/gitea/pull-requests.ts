import { z } from 'zod';
import { ownerAndName } from '../shared/code-host/names.ts';
import type { CodeHost, HostCall, HostPullRequest, NewPullRequest } from '../shared/code-host/port.ts';
import { owner as ownerOf } from './account.ts';
import type { GiteaApi } from './api.ts';

const PULLS = '/repos/{owner}/{repo}/pulls';
/** 1,000 requests: Gitea cannot search them by branch. */
const MAX_SEARCHED_PAGES = 20;
/** Gitea's own prefixes; a title without one is not a draft. */
const DRAFT = /^(?:WIP:|\[WIP\])\s*/iu;

const pull = z.object({
  number: z.number(),
  html_url: z.string(),
  title: z.string(),
  body: z.string(),
  state: z.enum(['open', 'closed']),
  draft: z.boolean().catch(false),
  merged: z.boolean(),
  merge_commit_sha: z.string().nullish(),
  head: z.object({ label: z.string(), sha: z.string(), repo_id: z.number() }),
  base: z.object({ label: z.string(), repo_id: z.number() }),
});
type Pull = z.output<typeof pull>;

const status = z.object({ id: z.number(), context: z.string(), status: z.string() });
const review = z.object({
  state: z.string(),
  dismissed: z.boolean().catch(false),
  user: z.object({ id: z.number() }).nullable(),
});
const comments = z
  .array(
    z.object({
      id: z.number(),
      body: z.string(),
      html_url: z.string(),
      user: z.object({ id: z.number() }).nullable(),
    }),
  )
  .nullable();
const commented = z.object({ html_url: z.string() });

export async function findPullRequest(
  api: GiteaApi,
  fullName: string,
  head: string,
  call: HostCall,
): Promise<HostPullRequest | undefined> {
  let pages = 0;
  const query = { ...ownerAndName(fullName), state: 'all' };
  for await (const page of api.pages(PULLS, query, { item: pull }, call)) {
    const found = page.find((each) => each.head.label === head && each.head.repo_id === each.base.repo_id);
    if (found) return await withVerdicts(api, fullName, found, call);
    pages += 1;
    if (pages >= MAX_SEARCHED_PAGES) break;
  }
  return undefined;
}

export async function createPullRequest(
  api: GiteaApi,
  fullName: string,
  { head, base, title, body, isDraft }: NewPullRequest,
  call: HostCall,
): Promise<HostPullRequest> {
  const wanted = { ...ownerAndName(fullName), head, base, title: titleOf(title, isDraft), body };
  return await withVerdicts(api, fullName, await api.send(`POST ${PULLS}`, wanted, pull, call), call);
}

export async function pullRequest(
  api: GiteaApi,
  fullName: string,
  number: number,
  call: HostCall,
): Promise<HostPullRequest> {
  return await withVerdicts(api, fullName, await read(api, fullName, number, call), call);
}

export async function updatePullRequest(
  api: GiteaApi,
  fullName: string,
  number: number,
  { title, ...changes }: Parameters<CodeHost['updatePullRequest']>[2],
  call: HostCall,
): Promise<HostPullRequest> {
  const names = { ...ownerAndName(fullName), index: number };
  const isDraft = title !== undefined && (await read(api, fullName, number, call)).draft;
  const edits = { ...changes, ...(title !== undefined && { title: titleOf(title, isDraft) }) };
  return await withVerdicts(
    api,
    fullName,
    await api.send(`PATCH ${PULLS}/{index}`, { ...names, ...edits }, pull, call),
    call,
  );
}

export async function comment(
  api: GiteaApi,
  fullName: string,
  number: number,
  { marker, body }: { marker: string; body: string },
  call: HostCall,
): Promise<string> {
  const names = { ...ownerAndName(fullName), index: number };
  const text = body.includes(marker) ? body : `${body}\n\n${marker}`;
  const path = '/repos/{owner}/{repo}/issues/{index}/comments';
  const [me, written] = await Promise.all([ownerOf(api, call), api.get(path, names, comments, call)]);
  // Whoever quotes it has the marker as well.
  const own = written?.find(({ user, body: found }) => user?.id === me.id && found.includes(marker));
  if (!own) return (await api.send(`POST ${path}`, { ...names, body: text }, commented, call)).html_url;
  if (own.body === text) return own.html_url;
  const edited = { ...ownerAndName(fullName), id: own.id, body: text };
  return (await api.send('PATCH /repos/{owner}/{repo}/issues/comments/{id}', edited, commented, call)).html_url;
}

function read(api: GiteaApi, fullName: string, number: number, call: HostCall): Promise<Pull> {
  return api.get(`${PULLS}/{index}`, { ...ownerAndName(fullName), index: number }, pull, call);
}

const titleOf = (title: string, isDraft: boolean): string => (isDraft && !DRAFT.test(title) ? `WIP: ${title}` : title);

async function withVerdicts(api: GiteaApi, fullName: string, found: Pull, call: HostCall): Promise<HostPullRequest> {
  const names = { ...ownerAndName(fullName), index: found.number, ref: found.head.sha };
  const [statuses, reviews] = await Promise.all([
    api.list('/repos/{owner}/{repo}/commits/{ref}/statuses', names, { item: status, maxPages: 10 }, call),
    api.list(`${PULLS}/{index}/reviews`, names, { item: review, maxPages: 10 }, call),
  ]);
  return {
    number: found.number,
    url: found.html_url,
    title: found.draft ? found.title.replace(DRAFT, '') : found.title,
    body: found.body,
    head: found.head.label,
    base: found.base.label,
    state: found.merged ? 'merged' : found.state,
    isDraft: found.draft,
    headCommit: found.head.sha,
    mergeCommit: found.merged ? (found.merge_commit_sha ?? null) : null,
    checks: checksOf(statuses),
    review: reviewOf(reviews),
  };
}

const FAILED = new Set(['failure', 'error']);

/** The last status of each context counts: ids grow, while times are whole seconds. */
export function checksOf(statuses: readonly z.output<typeof status>[]): HostPullRequest['checks'] {
  const last = new Map(statuses.toSorted((a, b) => a.id - b.id).map((each) => [each.context, each.status]));
  const states = [...last.values()];
  if (states.length === 0) return 'none';
  if (states.some((state) => FAILED.has(state))) return 'failing';
  return states.includes('pending') ? 'pending' : 'passing';
}

const DECISIONS = new Set(['APPROVED', 'REQUEST_CHANGES']);

/** Each reviewer's last decision counts. @param reviews oldest first */
export function reviewOf(reviews: readonly z.output<typeof review>[]): HostPullRequest['review'] {
  const last = new Map<number | undefined, string>();
  for (const { state, dismissed, user } of reviews)
    if (DECISIONS.has(state)) last.set(user?.id, dismissed ? '' : state);
  const decisions = [...last.values()];
  if (decisions.includes('REQUEST_CHANGES')) return 'changes_requested';
  return decisions.includes('APPROVED') ? 'approved' : 'none';
}
