/** Repositories, their branches, what changed in them, and their webhooks. */
import pMap from 'p-map';
import { z } from 'zod';
import { numericId, ownerAndName } from '../shared/code-host/names.ts';
import {
  CodeHostError,
  type HostBranch,
  type HostCall,
  type HostChange,
  type HostRepository,
} from '../shared/code-host/port.ts';
import { orNone } from '../shared/code-host/refusals.ts';
import { deploymentSummary, mergeSummary, releaseSummary } from '../shared/code-host/summaries.ts';
import type { GitHubApi } from './api.ts';
import { conflictOn } from './conflicts.ts';

const user = z.object({ login: z.string() }).nullish();
const time = z.iso.datetime({ offset: true }).transform((text) => Date.parse(text) / 1000);

const repositoryRow = z
  .object({
    id: z.number(),
    full_name: z.string(),
    default_branch: z.string(),
    clone_url: z.url(),
    html_url: z.url(),
    private: z.boolean(),
    archived: z.boolean(),
  })
  .transform((row): HostRepository => ({
    id: String(row.id),
    fullName: row.full_name,
    defaultBranch: row.default_branch,
    cloneUrl: row.clone_url,
    webUrl: row.html_url,
    isPrivate: row.private,
    isArchived: row.archived,
  }));

export async function* repositories(api: GitHubApi, call: HostCall): AsyncGenerator<HostRepository> {
  const pages = api.credentials.isApp
    ? api.pages('/installation/repositories', {}, { item: repositoryRow, member: 'repositories' }, call)
    : api.pages('/user/repos', { sort: 'full_name' }, { item: repositoryRow }, call);
  for await (const page of pages) yield* page;
}

export async function repository(api: GitHubApi, fullName: string, call: HostCall): Promise<HostRepository> {
  return await api.get('/repos/{owner}/{repo}', ownerAndName(fullName), repositoryRow, call);
}

const branchRow = z
  .object({ name: z.string(), commit: z.object({ sha: z.string() }), protected: z.boolean() })
  .transform((row): HostBranch => ({ name: row.name, commit: row.commit.sha, isProtected: row.protected }));

export async function branches(api: GitHubApi, fullName: string, call: HostCall): Promise<HostBranch[]> {
  const list = { item: branchRow, maxPages: 50 };
  return await api.list('/repos/{owner}/{repo}/branches', ownerAndName(fullName), list, call);
}

const pullRow = z.object({
  number: z.number(),
  title: z.string(),
  html_url: z.url(),
  merged_at: time.nullable(),
  updated_at: time,
  merge_commit_sha: z.string().nullish(),
  user,
});
const releaseRow = z.object({
  tag_name: z.string(),
  name: z.string().nullish(),
  target_commitish: z.string(),
  html_url: z.url(),
  published_at: time.nullish(),
  draft: z.boolean(),
  author: user,
});
const deploymentRow = z.object({
  id: z.number(),
  sha: z.string(),
  ref: z.string(),
  environment: z.string(),
  created_at: time,
  creator: user,
});

const deploymentStatus = z.object({ state: z.string() }).transform(({ state }) => state);

const DEPLOYMENTS = '/repos/{owner}/{repo}/deployments';
const MAX_PAGES = 10;
/** Of as many deployments, the newest, the statuses are read. */
const MAX_STATUSES = 30;
const SHA = /^[0-9a-f]{40}(?:[0-9a-f]{24})?$/u;

/** A change's commit, author and URL, as far as they are known. */
const about = (commit: string | null | undefined, author: z.output<typeof user>, url?: string) => ({
  ...(commit != null && SHA.test(commit) && { commit }),
  ...(author && { author: author.login }),
  ...(url !== undefined && { url }),
});

export async function changes(
  api: GitHubApi,
  fullName: string,
  { from, to }: Window,
  call: HostCall,
): Promise<HostChange[]> {
  const where = ownerAndName(fullName);
  const [merges, releases, deployments] = await Promise.all([
    mergesSince(api, where, from, call),
    // Sorted by the date of their commit, which may be long before they are published.
    orNone(api.list('/repos/{owner}/{repo}/releases', where, { item: releaseRow, maxPages: 2 }, call)),
    orNone(deploymentsIn(api, where, { from, to }, call)),
  ]);
  const found: HostChange[] = [
    ...merges.flatMap(({ number, title, html_url, merged_at, merge_commit_sha, user: author }) =>
      merged_at === null
        ? []
        : {
            id: `pull_request:${number}`,
            at: merged_at,
            kind: 'merge' as const,
            summary: mergeSummary(`#${number}`, title),
            ...about(merge_commit_sha, author, html_url),
          },
    ),
    ...releases.flatMap(({ tag_name, name, target_commitish, html_url, published_at, draft, author }) =>
      draft || published_at == null
        ? []
        : {
            id: `release:${tag_name}`,
            at: published_at,
            kind: 'release' as const,
            summary: releaseSummary(tag_name, name),
            ...about(target_commitish, author, html_url),
          },
    ),
    ...deployments.map(({ id, sha, ref, environment, created_at, creator }) => ({
      id: `deployment:${id}`,
      at: created_at,
      kind: 'deployment' as const,
      summary: deploymentSummary(ref, environment),
      ...about(sha, creator),
    })),
  ];
  return found.filter(({ at }) => at >= from && at < to).sort((a, b) => a.at - b.at);
}

type Where = ReturnType<typeof ownerAndName>;
type Window = { from: number; to: number };

/** Merging updates a request, so those that were not updated since have not been merged since. */
async function mergesSince(api: GitHubApi, where: Where, from: number, call: HostCall) {
  const query = { ...where, state: 'closed', sort: 'updated', direction: 'desc' };
  const pages = api.pages('/repos/{owner}/{repo}/pulls', query, { item: pullRow }, call);
  return await newest(pages, (row) => row.updated_at >= from);
}

/** Without those that failed or are under way. Those without a status, or not asked for one, may well have succeeded. */
async function deploymentsIn(api: GitHubApi, where: Where, { from, to }: Window, call: HostCall) {
  const pages = api.pages(DEPLOYMENTS, where, { item: deploymentRow }, call);
  const found = (await newest(pages, (row) => row.created_at >= from)).filter((row) => row.created_at < to);
  const asked = await pMap(
    found.slice(0, MAX_STATUSES),
    async (row) => {
      const list = { item: deploymentStatus, maxPages: 1 };
      const route = `${DEPLOYMENTS}/{deployment_id}/statuses`;
      const states = await orNone(api.list(route, { ...where, deployment_id: row.id }, list, call));
      // Not the last: the next deployment makes one that succeeded inactive.
      return states.length === 0 || states.includes('success') ? [row] : [];
    },
    { concurrency: 4, signal: call.signal },
  );
  return [...asked.flat(), ...found.slice(MAX_STATUSES)];
}

/** Reads pages, newest first, until one has an item that is too old. */
async function newest<Item>(pages: AsyncIterable<Item[]>, isWanted: (item: Item) => boolean): Promise<Item[]> {
  const found: Item[] = [];
  let read = 0;
  for await (const page of pages) {
    found.push(...page.filter(isWanted));
    read += 1;
    if (!page.every(isWanted) || read >= MAX_PAGES) break;
  }
  return found;
}

const hookRow = z.object({ id: z.number(), config: z.object({ url: z.string().optional() }) });
const EVENTS = ['push', 'create', 'delete', 'pull_request', 'pull_request_review', 'workflow_run'];

export async function registerWebhook(
  api: GitHubApi,
  fullName: string,
  wanted: { url: string; secret: string },
  call: HostCall,
): Promise<{ id: string }> {
  const where = ownerAndName(fullName);
  const settings = { events: EVENTS, active: true, config: { ...wanted, content_type: 'json', insecure_ssl: '0' } };
  const registered = async (): Promise<number | undefined> => {
    const hooks = await api.list('/repos/{owner}/{repo}/hooks', where, { item: hookRow, maxPages: 5 }, call);
    return hooks.find(({ config }) => config.url === wanted.url)?.id;
  };
  const update = async (hook_id: number): Promise<{ id: string }> => {
    const route = 'PATCH /repos/{owner}/{repo}/hooks/{hook_id}';
    const { id } = await api.send(route, { ...where, hook_id, ...settings }, hookRow, call);
    return { id: String(id) };
  };
  const create = async (): Promise<{ id: string }> => {
    const parameters = { ...where, name: 'web', ...settings };
    const { id } = await api.send('POST /repos/{owner}/{repo}/hooks', parameters, hookRow, call);
    return { id: String(id) };
  };
  const known = await registered();
  if (known !== undefined) return await update(known);
  try {
    return await conflictOn(/already exists/iu, create);
  } catch (error) {
    // Another registered it in between.
    const other = error instanceof CodeHostError && error.reason === 'conflict' ? await registered() : undefined;
    if (other === undefined) throw error;
    return await update(other);
  }
}

export async function removeWebhook(api: GitHubApi, fullName: string, id: string, call: HostCall): Promise<void> {
  const parameters = { ...ownerAndName(fullName), hook_id: numericId(id, 'webhook') };
  try {
    await api.send('DELETE /repos/{owner}/{repo}/hooks/{hook_id}', parameters, z.unknown(), call);
  } catch (error) {
    if (!(error instanceof CodeHostError && error.reason === 'not_found')) throw error;
  }
}
