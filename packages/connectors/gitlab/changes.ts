/** What changed in a project: merged requests, releases, deployments. */
import { z } from 'zod';
import type { HostChange, HostCall } from '../shared/code-host/port.ts';
import { orNone, parseHostAnswer } from '../shared/code-host/refusals.ts';
import { deploymentSummary, mergeSummary, releaseSummary } from '../shared/code-host/summaries.ts';
import { PER_PAGE, type GitLabApi, type Resources } from './api.ts';
import { mergeCommitOf, mergeRequest } from './merge-requests.ts';
import { seconds } from './pipelines.ts';

/** Of each kind; what comes after them is left out. */
const PAGES = { perPage: PER_PAGE, maxPages: 5 };

const release = z.object({
  tag_name: z.string(),
  name: z.string().nullish(),
  released_at: z.string().nullish(),
  author: z.object({ username: z.string() }).nullish(),
  commit: z.object({ id: z.string() }).nullish(),
  _links: z.object({ self: z.string().optional() }).optional(),
});

const deployment = z.object({
  id: z.number().int(),
  ref: z.string(),
  sha: z.string(),
  created_at: z.string(),
  updated_at: z.string().nullish(),
  user: z.object({ username: z.string() }).nullish(),
  environment: z.object({ name: z.string() }),
  deployable: z.object({ finished_at: z.string().nullish(), web_url: z.string().optional() }).nullish(),
});

type Window = { from: number; to: number };

export async function changesOf(
  api: GitLabApi,
  project: string,
  window: Window,
  call: HostCall,
): Promise<HostChange[]> {
  const since = new Date(window.from * 1000).toISOString();
  const read = async <Item extends z.ZodType>(
    item: Item,
    ask: (gitlab: Resources) => Promise<unknown>,
  ): Promise<z.output<Item>[]> => parseHostAnswer(z.array(item), await api.ask(ask, call), api.place);

  const [merged, released, deployed] = await Promise.all([
    // It is updated when it is merged, and maybe later.
    read(mergeRequest, (gitlab) =>
      gitlab.MergeRequests.all({
        projectId: project,
        state: 'merged',
        updatedAfter: since,
        orderBy: 'updated_at',
        sort: 'desc',
        ...PAGES,
      }),
    ),
    orNone(read(release, (gitlab) => gitlab.ProjectReleases.all(project, { ...PAGES, maxPages: 1 }))),
    orNone(
      read(deployment, (gitlab) =>
        gitlab.Deployments.all(project, {
          status: 'success',
          updatedAfter: since,
          orderBy: 'updated_at',
          sort: 'desc',
          ...PAGES,
        }),
      ),
    ),
  ]);
  const all = [...merged.map(mergeOf), ...released.map(releaseOf), ...deployed.map(deploymentOf)];
  return all
    .filter((change) => change !== undefined)
    .filter(({ at }) => at >= window.from && at < window.to)
    .toSorted((one, other) => one.at - other.at);
}

function mergeOf(found: z.output<typeof mergeRequest>): HostChange | undefined {
  if (found.merged_at == null) return undefined;
  const commit = mergeCommitOf(found);
  return {
    id: `pull_request:${found.iid}`,
    at: seconds(found.merged_at),
    kind: 'merge',
    summary: mergeSummary(`!${found.iid}`, found.title),
    ...(commit !== null && { commit }),
    ...(found.author && { author: found.author.username }),
    url: found.web_url,
  };
}

function releaseOf({
  tag_name,
  name,
  released_at,
  author,
  commit,
  _links,
}: z.output<typeof release>): HostChange | undefined {
  if (released_at == null) return undefined;
  return {
    id: `release:${tag_name}`,
    at: seconds(released_at),
    kind: 'release',
    summary: releaseSummary(tag_name, name),
    ...(commit && { commit: commit.id }),
    ...(author && { author: author.username }),
    ...(_links?.self !== undefined && { url: _links.self }),
  };
}

const deploymentOf = (found: z.output<typeof deployment>): HostChange => ({
  id: `deployment:${found.id}`,
  at: seconds(found.deployable?.finished_at ?? found.updated_at ?? found.created_at),
  kind: 'deployment',
  summary: deploymentSummary(found.ref, found.environment.name),
  commit: found.sha,
  ...(found.user && { author: found.user.username }),
  ...(found.deployable?.web_url !== undefined && { url: found.deployable.web_url }),
});
