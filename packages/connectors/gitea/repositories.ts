import { z } from 'zod';
import { ownerAndName } from '../shared/code-host/names.ts';
import type { HostBranch, HostCall, HostChange, HostRepository } from '../shared/code-host/port.ts';
import { orNone } from '../shared/code-host/refusals.ts';
import { mergeSummary, releaseSummary } from '../shared/code-host/summaries.ts';
import { owner } from './account.ts';
import { secondsOf, type GiteaApi } from './api.ts';

const row = z
  .object({
    id: z.number(),
    full_name: z.string(),
    default_branch: z.string(),
    clone_url: z.string(),
    html_url: z.string(),
    private: z.boolean(),
    archived: z.boolean(),
  })
  .transform((found): HostRepository => ({
    id: String(found.id),
    fullName: found.full_name,
    defaultBranch: found.default_branch,
    cloneUrl: found.clone_url,
    webUrl: found.html_url,
    isPrivate: found.private,
    isArchived: found.archived,
  }));

const branch = z.object({ name: z.string(), protected: z.boolean(), commit: z.object({ id: z.string() }) });

const author = z.object({ login: z.string() }).nullish();
const time = z.string().nullish();
const closed = z.object({
  number: z.number(),
  title: z.string(),
  html_url: z.string(),
  user: author,
  merged: z.boolean(),
  merged_at: time,
  merge_commit_sha: z.string().nullish(),
  updated_at: time,
});
const release = z.object({
  tag_name: z.string(),
  name: z.string(),
  html_url: z.string(),
  author,
  draft: z.boolean(),
  published_at: time,
  created_at: time,
});
/** 1,000 requests or releases. */
const MAX_CHANGE_PAGES = 20;

/** Those of the user, of the user's organizations, and those that the user works on; the last changed first. */
export async function* repositories(api: GiteaApi, call: HostCall): AsyncGenerator<HostRepository> {
  const { id: uid } = await owner(api, call);
  const query = { uid, sort: 'updated', order: 'desc' };
  for await (const page of api.pages('/repos/search', query, { item: row, member: 'data' }, call)) yield* page;
}

export async function repository(api: GiteaApi, fullName: string, call: HostCall): Promise<HostRepository> {
  return await api.get('/repos/{owner}/{repo}', ownerAndName(fullName), row, call);
}

export async function branches(api: GiteaApi, fullName: string, call: HostCall): Promise<HostBranch[]> {
  const options = { item: branch, maxPages: 200 };
  const found = await api.list('/repos/{owner}/{repo}/branches', ownerAndName(fullName), options, call);
  return found.map(({ name, commit, protected: isProtected }) => ({ name, commit: commit.id, isProtected }));
}

/** Merged requests and releases; Gitea has no deployments. */
export async function changes(
  api: GiteaApi,
  fullName: string,
  window: { from: number; to: number },
  call: HostCall,
): Promise<HostChange[]> {
  const [merges, releases] = await Promise.all([
    mergesIn(api, fullName, window, call),
    orNone(releasesIn(api, fullName, window, call)),
  ]);
  return [...merges, ...releases].toSorted((a, b) => a.at - b.at);
}

interface Window {
  from: number;
  to: number;
}

const within = ({ from, to }: Window, at: number | null): at is number => at !== null && at >= from && at < to;

/** A merged request was updated when it was merged, or later. */
async function mergesIn(api: GiteaApi, fullName: string, window: Window, call: HostCall): Promise<HostChange[]> {
  const query = { ...ownerAndName(fullName), state: 'closed', sort: 'recentupdate' };
  const found: HostChange[] = [];
  let pages = 0;
  for await (const page of api.pages('/repos/{owner}/{repo}/pulls', query, { item: closed }, call)) {
    for (const pull of page) {
      const at = pull.merged ? secondsOf(pull.merged_at) : null;
      if (!within(window, at)) continue;
      found.push({
        id: `pull_request:${pull.number}`,
        at,
        kind: 'merge',
        summary: mergeSummary(`#${pull.number}`, pull.title),
        ...(pull.merge_commit_sha && { commit: pull.merge_commit_sha }),
        ...(pull.user && { author: pull.user.login }),
        url: pull.html_url,
      });
    }
    pages += 1;
    if (pages >= MAX_CHANGE_PAGES || (secondsOf(page.at(-1)?.updated_at) ?? 0) < window.from) break;
  }
  return found;
}

async function releasesIn(api: GiteaApi, fullName: string, window: Window, call: HostCall): Promise<HostChange[]> {
  const query = { ...ownerAndName(fullName), draft: false };
  const found: HostChange[] = [];
  let pages = 0;
  for await (const page of api.pages('/repos/{owner}/{repo}/releases', query, { item: release }, call)) {
    for (const { tag_name, name, draft, ...made } of page) {
      const at = draft ? null : secondsOf(made.published_at);
      if (!within(window, at)) continue;
      found.push({
        id: `release:${tag_name}`,
        at,
        kind: 'release',
        summary: releaseSummary(tag_name, name),
        ...(made.author && { author: made.author.login }),
        url: made.html_url,
      });
    }
    pages += 1;
    if (pages >= MAX_CHANGE_PAGES || (secondsOf(page.at(-1)?.created_at) ?? 0) < window.from) break;
  }
  return found;
}
