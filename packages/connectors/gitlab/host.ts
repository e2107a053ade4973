/** GitLab as a code host: merge requests are its pull requests, pipelines its runs. */
import { z } from 'zod';
import type { CodeHostOptions } from '../shared/code-host/connector.ts';
import {
  CodeHostError,
  type CodeHost,
  type HostCall,
  type HostPullRequest,
  type HostRepository,
} from '../shared/code-host/port.ts';
import { parseHostAnswer } from '../shared/code-host/refusals.ts';
import { accountOf, ownerOf } from './account.ts';
import { openGitLabApi, PER_PAGE, type Resources } from './api.ts';
import { changesOf } from './changes.ts';
import type { GitLabConfig } from './config.ts';
import { approvals, draftTitle, mergeRequest, pullRequestOf } from './merge-requests.ts';
import { pipelineInputs, type PipelineInputs } from './pipeline-inputs.ts';
import { job, jobOf, pipeline, plainLog, runOf, seconds } from './pipelines.ts';

/** Reporters may read code; guests may not. */
const REPORTER = 20;
const MAX_PROJECT_PAGES = 200;
const CONFIGURATION = '.gitlab-ci.yml';

const project = z.object({
  id: z.number().int(),
  path_with_namespace: z.string(),
  default_branch: z.string().nullish(),
  http_url_to_repo: z.string(),
  web_url: z.string(),
  visibility: z.enum(['private', 'internal', 'public']).default('private'),
  archived: z.boolean().default(false),
  ci_config_path: z.string().nullish(),
});
const branch = z.object({ name: z.string(), protected: z.boolean(), commit: z.object({ id: z.string() }) });
const hook = z.object({ id: z.number().int(), url: z.string() });
const note = z.object({ id: z.number().int(), body: z.string(), author: z.object({ username: z.string() }) });
const fromBranch = z.object({ iid: z.number().int(), project_id: z.number(), source_project_id: z.number().nullish() });

const repositoryOf = (found: z.output<typeof project>): HostRepository => ({
  id: String(found.id),
  fullName: found.path_with_namespace,
  // An empty project has none yet.
  defaultBranch: found.default_branch ?? 'main',
  cloneUrl: found.http_url_to_repo,
  webUrl: found.web_url,
  isPrivate: found.visibility !== 'public',
  isArchived: found.archived,
});

export function openGitLab(config: GitLabConfig, { network, now = Date.now }: CodeHostOptions = {}): CodeHost {
  const api = openGitLabApi(config, network, now);

  const ask = async <Schema extends z.ZodType>(
    schema: Schema,
    work: (gitlab: Resources) => Promise<unknown>,
    call: HostCall,
  ): Promise<z.output<Schema>> => parseHostAnswer(schema, await api.ask(work, call), api.place);

  const projectOf = (fullName: string, call: HostCall) =>
    ask(project, (gitlab) => gitlab.Projects.show(pathOf(fullName)), call);

  const withReview = async (
    fullName: string,
    found: z.output<typeof mergeRequest>,
    call: HostCall,
  ): Promise<HostPullRequest> => {
    const approved = await ask(
      approvals,
      (gitlab) => gitlab.MergeRequestApprovals.showConfiguration(pathOf(fullName), { mergerequestIId: found.iid }),
      call,
    );
    return pullRequestOf(found, approved);
  };

  const showRequest = (fullName: string, number: number, call: HostCall) =>
    ask(mergeRequest, (gitlab) => gitlab.MergeRequests.show(pathOf(fullName), number), call);

  const inputsOf = async (
    fullName: string,
    path: string,
    ref: string,
    call: HostCall,
  ): Promise<PipelineInputs | undefined> => {
    try {
      return pipelineInputs(
        await ask(z.string(), (gitlab) => gitlab.RepositoryFiles.showRaw(pathOf(fullName), path, ref), call),
      );
    } catch (error) {
      if (error instanceof CodeHostError && error.reason === 'not_found') return undefined;
      throw error;
    }
  };

  return {
    kind: 'gitlab',
    gitCredential: async () => ({ username: 'oauth2', password: config.token }),
    account: (call) => accountOf(api, call),

    async *repositories(call) {
      let idAfter: number | undefined;
      for (let page = 0; page < MAX_PROJECT_PAGES; page++) {
        const after = idAfter === undefined ? {} : { idAfter };
        const found = await ask(
          z.array(project),
          (gitlab) =>
            gitlab.Projects.all({
              membership: true,
              minAccessLevel: REPORTER,
              orderBy: 'id',
              sort: 'asc',
              perPage: PER_PAGE,
              maxPages: 1,
              ...after,
            }),
          call,
        );
        yield* found.map(repositoryOf);
        if (found.length < PER_PAGE) return;
        idAfter = found.at(-1)!.id;
      }
    },

    repository: async (fullName, call) => repositoryOf(await projectOf(fullName, call)),

    async branches(fullName, call) {
      const found = await ask(
        z.array(branch),
        (gitlab) => gitlab.Branches.all(pathOf(fullName), { perPage: PER_PAGE, maxPages: 20 }),
        call,
      );
      return found.map(({ name, commit, protected: isProtected }) => ({ name, commit: commit.id, isProtected }));
    },

    changes: (fullName, window, call) => changesOf(api, pathOf(fullName), window, call),

    async findPullRequest(fullName, head, call) {
      const found = await ask(
        z.array(fromBranch),
        (gitlab) =>
          gitlab.MergeRequests.all({
            projectId: pathOf(fullName),
            sourceBranch: head,
            orderBy: 'created_at',
            sort: 'desc',
            perPage: PER_PAGE,
            maxPages: 1,
          }),
        call,
      );
      // Forks have branches of the same name.
      const newest = found.find(({ project_id, source_project_id }) => project_id === source_project_id);
      return newest && this.pullRequest(fullName, newest.iid, call);
    },

    async createPullRequest(fullName, { head, base, title, body, isDraft }, call) {
      const made = await ask(
        mergeRequest,
        (gitlab) =>
          gitlab.MergeRequests.create(pathOf(fullName), head, base, draftTitle(title, isDraft), { description: body }),
        call,
      );
      return withReview(fullName, made, call);
    },

    pullRequest: async (fullName, number, call) =>
      withReview(fullName, await showRequest(fullName, number, call), call),

    async updatePullRequest(fullName, number, { title, body, state }, call) {
      const before = await showRequest(fullName, number, call);
      const isOpen = before.state === 'opened';
      const stateEvent = state === 'closed' && isOpen ? 'close' : state === 'open' && !isOpen ? 'reopen' : undefined;
      const changed = await ask(
        mergeRequest,
        (gitlab) =>
          gitlab.MergeRequests.edit(pathOf(fullName), number, {
            ...(title !== undefined && { title: draftTitle(title, before.draft) }),
            ...(body !== undefined && { description: body }),
            ...(stateEvent && { stateEvent }),
          }),
        call,
      );
      return withReview(fullName, changed, call);
    },

    async comment(fullName, number, { marker, body }, call) {
      const path = pathOf(fullName);
      const [{ web_url }, { username }] = await Promise.all([showRequest(fullName, number, call), ownerOf(api, call)]);
      const text = body.includes(marker) ? body : `${body}\n\n${marker}`;
      const all = await ask(
        z.array(note),
        (gitlab) =>
          gitlab.MergeRequestNotes.all(path, number, {
            orderBy: 'created_at',
            sort: 'asc',
            perPage: PER_PAGE,
            maxPages: 20,
          }),
        call,
      );
      const known = all.find((one) => one.author.username === username && one.body.includes(marker));
      const { id } = await ask(
        note,
        (gitlab) =>
          known
            ? gitlab.MergeRequestNotes.edit(path, number, known.id, { body: text })
            : gitlab.MergeRequestNotes.create(path, number, text),
        call,
      );
      return `${web_url}#note_${id}`;
    },

    async runs(fullName, { branch: ref, commit, since, limit }, call) {
      const found = await ask(
        z.array(pipeline),
        (gitlab) =>
          gitlab.Pipelines.all(pathOf(fullName), {
            ...(ref !== undefined && { ref }),
            ...(commit !== undefined && { sha: commit }),
            // None is updated before it is created.
            ...(since !== undefined && { updatedAfter: new Date(since * 1000).toISOString() }),
            orderBy: 'id',
            sort: 'desc',
            perPage: Math.min(limit, PER_PAGE),
            maxPages: Math.ceil(limit / PER_PAGE),
          }),
        call,
      );
      return found
        .filter(({ created_at }) => since === undefined || seconds(created_at) >= since)
        .slice(0, limit)
        .map(runOf);
    },

    run: async (fullName, id, call) =>
      runOf(await ask(pipeline, (gitlab) => gitlab.Pipelines.show(pathOf(fullName), idOf(id)), call)),

    async jobs(fullName, runId, call) {
      const found = await ask(
        z.array(job),
        (gitlab) => gitlab.Jobs.all(pathOf(fullName), { pipelineId: idOf(runId), perPage: PER_PAGE, maxPages: 10 }),
        call,
      );
      return found.map(jobOf);
    },

    async jobLog(fullName, jobId, { maxBytes }, { signal }) {
      const path = `projects/${encodeURIComponent(pathOf(fullName))}/jobs/${idOf(jobId)}/trace`;
      const { text, truncated } = await api.tail(path, { maxBytes, signal });
      return { text: plainLog(text), truncated };
    },

    async rerunFailed(fullName, runId, call) {
      await api.ask((gitlab) => gitlab.Pipelines.retry(pathOf(fullName), idOf(runId)), call);
    },

    async workflows(fullName, ref, call) {
      const { ci_config_path } = await projectOf(fullName, call);
      const path = ci_config_path || CONFIGURATION;
      const found = await inputsOf(fullName, path, ref, call);
      return found ? [{ id: path, name: 'Pipeline', path, inputs: [...found.inputs, ...found.variables] }] : [];
    },

    async dispatch(fullName, workflowId, { ref, inputs }, call) {
      const known = await inputsOf(fullName, workflowId, ref, call);
      if (!known) throw new CodeHostError('not_found', `There is no pipeline configuration ${workflowId} at ${ref}.`);
      const typed = new Map(known.inputs.map(({ name, type }) => [name, type]));
      const given = Object.entries(inputs);
      const variables = given.flatMap(([key, value]) => (typed.has(key) ? [] : { key, value }));
      const forInputs = given.flatMap(([name, value]): [string, unknown][] =>
        typed.has(name) ? [[name, valueOf(typed.get(name)!, value)]] : [],
      );
      const options = {
        ...(variables.length > 0 && { variables }),
        ...(forInputs.length > 0 && { inputs: Object.fromEntries(forInputs) }),
      };
      const { id } = await ask(
        z.object({ id: z.number().int() }),
        (gitlab) => gitlab.Pipelines.create(pathOf(fullName), ref, options),
        call,
      );
      return { runId: String(id) };
    },

    async registerWebhook(fullName, { url, secret }, call) {
      const path = pathOf(fullName);
      const known = await ask(
        z.array(hook),
        (gitlab) => gitlab.ProjectHooks.all(path, { perPage: PER_PAGE, maxPages: 5 }),
        call,
      );
      const mine = known.find((one) => one.url === url);
      const options = {
        token: secret,
        pushEvents: true,
        tagPushEvents: true,
        mergeRequestsEvents: true,
        pipelineEvents: true,
        enableSslVerification: true,
      };
      const { id } = await ask(
        hook,
        (gitlab) =>
          mine ? gitlab.ProjectHooks.edit(path, mine.id, url, options) : gitlab.ProjectHooks.add(path, url, options),
        call,
      );
      return { id: String(id) };
    },

    async removeWebhook(fullName, id, call) {
      try {
        await api.ask((gitlab) => gitlab.ProjectHooks.remove(pathOf(fullName), idOf(id)), call);
      } catch (error) {
        if (!(error instanceof CodeHostError) || error.reason !== 'not_found') throw error;
      }
    },
  };
}

/** A project by its path. One name alone could be a number, which GitLab takes for an id. */
function pathOf(fullName: string): string {
  if (!/^[\w.-]+(?:\/[\w.-]+)+$/u.test(fullName) || fullName.split('/').some((name) => /^\.+$/u.test(name)))
    throw new CodeHostError('not_found', `"${fullName}" is not the path of a project.`);
  return fullName;
}

function idOf(id: string): number {
  if (!/^\d{1,15}$/u.test(id)) throw new CodeHostError('not_found', `"${id}" is not a number, as GitLab's ids are.`);
  return Number(id);
}

function valueOf(type: string, value: string): unknown {
  if (type === 'number') return Number(value);
  return type === 'boolean' ? value === 'true' : value;
}
