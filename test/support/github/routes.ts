/** What a fake GitHub does, by operation. Refusals are worded as GitHub's. */
import { parse } from 'yaml';
import type { Row } from './description.ts';
import { fileOf } from './git.ts';
import { rowsFor, type Urls } from './rows.ts';
import type { FakePull, FakeRepository, FakeRun, FakeToken } from './state.ts';

export interface Answer {
  status: number;
  body?: unknown;
  headers?: Record<string, string>;
}

export interface Call {
  /** Of the path. */
  parameters: Record<string, string>;
  query: URLSearchParams;
  body: Row;
  token: FakeToken;
  /** Of the path, if it has one. */
  repository: FakeRepository;
  /** Everything that the token sees. */
  visible: FakeRepository[];
  urls: Urls;
  isEnterprise: boolean;
  /** Unix ms. */
  now: number;
  nextId(): number;
  /** Has a run's jobs executed. */
  queue(run: FakeRun): void;
  /** The URL at which a text can be had without a credential. */
  keep(text: string): string;
}

export interface Route {
  /** A permission by GitHub's name, and how much of it. */
  needs?: [string, 'read' | 'write'];
  answer(call: Call): Answer;
}

const DOCUMENTATION = 'https://docs.github.com/rest';

export const refuse = (status: number, message: string, more: object = {}): Answer => ({
  status,
  body: { message, ...more, documentation_url: DOCUMENTATION, status: String(status) },
});
export const NOT_FOUND = refuse(404, 'Not Found');
const invalid = (...errors: object[]): Answer => refuse(422, 'Validation Failed', { errors });
const give = (body: unknown, status = 200): Answer => ({ status, body });

/** A page of a list, with the URLs of the others. @param member of the answer that has the list */
function page(call: Call, items: Row[], path: string, member?: string): Answer {
  const { query, urls } = call;
  const size = Math.min(Number(query.get('per_page') ?? 30), 100);
  const number = Number(query.get('page') ?? 1);
  const last = Math.max(1, Math.ceil(items.length / size));
  const rows = items.slice((number - 1) * size, number * size);
  const link = (to: number, rel: string): string => {
    const others = new URLSearchParams(query);
    others.set('page', String(to));
    return `<${urls.api}${path}?${others.toString()}>; rel="${rel}"`;
  };
  const links = [
    ...(number > 1 ? [link(number - 1, 'prev'), link(1, 'first')] : []),
    ...(number < last ? [link(number + 1, 'next'), link(last, 'last')] : []),
  ];
  return {
    status: 200,
    body: member === undefined ? rows : { total_count: items.length, [member]: rows },
    ...(links.length > 0 && { headers: { link: links.join(', ') } }),
  };
}

const pathOf = ({ repository: { owner, name } }: Call, rest: string): string => `/repos/${owner}/${name}${rest}`;

function changePull({ urls, repository }: Call, pull: FakePull, changes: Row, now: number): Answer {
  if (changes['state'] === 'open' && pull.mergedAt !== undefined)
    return invalid({ resource: 'PullRequest', field: 'state', code: 'invalid' });
  Object.assign(pull, changes, { updatedAt: now });
  return give(rowsFor(urls).pull(repository, pull));
}

function openPull(call: Call): Answer {
  const { repository, body, token, now, urls } = call;
  const { head, base, title, draft = false } = body as { head: string; base: string; title: string; draft?: boolean };
  const problem = (field: string): object => ({ resource: 'PullRequest', field, code: 'invalid' });
  const name = head.replace(`${repository.owner}:`, '');
  const from = repository.branches.get(name);
  const onto = repository.branches.get(base);
  if (repository.isArchived) return refuse(403, 'Repository was archived so is read-only.');
  if (!from || !onto) return invalid(...(from ? [] : [problem('head')]), ...(onto ? [] : [problem('base')]));
  const said = (message: string): Answer => invalid({ resource: 'PullRequest', code: 'custom', message });
  if (repository.pulls.some((other) => other.state === 'open' && other.head === name && other.base === base))
    return said(`A pull request already exists for ${repository.owner}:${name}.`);
  if (from.commit === onto.commit) return said(`No commits between ${base} and ${name}`);
  const pull: FakePull = {
    number: 1 + Math.max(0, ...repository.pulls.map((other) => other.number)),
    title,
    body: (body['body'] as string | undefined) ?? null,
    head: name,
    base,
    state: 'open',
    isDraft: draft,
    headCommit: from.commit,
    author: token.login,
    createdAt: now,
    updatedAt: now,
    reviews: [],
  };
  repository.pulls.push(pull);
  return give(rowsFor(urls).pull(repository, pull), 201);
}

function listPulls(call: Call): Answer {
  const { repository, query, urls } = call;
  const [state, head, base] = [query.get('state') ?? 'open', query.get('head'), query.get('base')];
  const isUpdated = query.get('sort') === 'updated';
  const sign = (query.get('direction') ?? 'desc') === 'desc' ? -1 : 1;
  const found = repository.pulls
    .filter(
      (pull) =>
        (state === 'all' || pull.state === state) &&
        // A head without its owner is no filter.
        (!head?.includes(':') || head === `${repository.owner}:${pull.head}`) &&
        (base === null || base === pull.base),
    )
    .toSorted((a, b) => sign * (isUpdated ? a.updatedAt - b.updatedAt : a.number - b.number));
  return page(
    call,
    found.map((pull) => rowsFor(urls).simplePull(repository, pull)),
    pathOf(call, '/pulls'),
  );
}

const pullOf = ({ repository, parameters }: Call): FakePull | undefined =>
  repository.pulls.find(({ number }) => String(number) === (parameters['pull_number'] ?? parameters['issue_number']));

const orNotFound = <Thing>(thing: Thing | undefined, answer: (thing: Thing) => Answer): Answer =>
  thing === undefined ? NOT_FOUND : answer(thing);

function lastOf<Item>(items: Item[], keyOf: (item: Item) => string): Item[] {
  return [...new Map(items.map((item) => [keyOf(item), item])).values()];
}

/** The commit that a commit, branch or tag is. */
const commitOf = ({ repository, parameters }: Call): string =>
  repository.branches.get(parameters['ref']!)?.commit ?? parameters['ref']!;

function saveHook(call: Call, id: number): Answer {
  const { repository, body, urls } = call;
  const { config, events = ['push'], active = true } = body as { config: Row; events?: string[]; active?: boolean };
  const hook = { id, url: String(config['url'] ?? ''), secret: String(config['secret'] ?? ''), events, active };
  if (hook.url === '')
    return invalid({ resource: 'Hook', code: 'custom', field: 'url', message: 'url cannot be blank' });
  const others = repository.hooks.filter((other) => other.id !== id);
  const isNew = others.length === repository.hooks.length;
  if (isNew && others.some(({ url }) => url === hook.url))
    return invalid({ resource: 'Hook', code: 'custom', message: 'Hook already exists on this repository' });
  repository.hooks = [...others, hook];
  return give(rowsFor(urls).hook(hook), isNew ? 201 : 200);
}

const runOf = ({ repository, parameters }: Call): FakeRun | undefined =>
  repository.runs.find(({ id }) => String(id) === parameters['run_id']);

function listRuns(call: Call): Answer {
  const { repository, query, urls } = call;
  const [branch, sha, created] = [query.get('branch'), query.get('head_sha'), query.get('created')];
  const since = created === null ? 0 : Date.parse(created.replace(/^>=/u, ''));
  const found = repository.runs
    .filter(
      (run) => (branch ?? run.branch) === run.branch && (sha ?? run.commit) === run.commit && run.createdAt >= since,
    )
    .toSorted((a, b) => b.createdAt - a.createdAt);
  const rows = found.map((run) => rowsFor(urls).run(repository, run));
  return page(call, rows, pathOf(call, '/actions/runs'), 'workflow_runs');
}

function rerun({ nextId, queue }: Call, run: FakeRun): Answer {
  if (run.status !== 'completed') return refuse(403, 'This workflow is already running');
  if (run.jobs.every(({ conclusion }) => conclusion !== 'failure'))
    return refuse(403, 'This workflow run cannot be retried');
  Object.assign(run, { attempt: run.attempt + 1, status: 'queued', conclusion: null });
  run.jobs = run.jobs.map((job) =>
    job.conclusion === 'failure'
      ? { id: nextId(), name: job.name, status: 'queued', conclusion: null, steps: [] }
      : { ...job, id: nextId() },
  );
  queue(run);
  return give({}, 201);
}

function dispatch(call: Call): Answer {
  const { repository, parameters, body, isEnterprise, now, nextId, queue, urls } = call;
  const {
    ref,
    inputs = {},
    return_run_details: wantsRun,
  } = body as {
    ref: string;
    inputs?: Record<string, string>;
    return_run_details?: boolean;
  };
  const workflow = repository.workflows.find(
    ({ id, path }) => String(id) === parameters['workflow_id'] || path.endsWith(`/${parameters['workflow_id']}`),
  );
  if (!workflow) return NOT_FOUND;
  // No release of Enterprise Server has it in its description.
  if (isEnterprise && wantsRun !== undefined)
    return refuse(422, 'Invalid request.\n\n"return_run_details" is not a permitted key.');
  const branch = repository.branches.get(ref);
  if (!branch) return refuse(422, `No ref found for: ${ref}`);
  const file = parse(fileOf(repository, ref, workflow.path) ?? '') as Row | null;
  const trigger = (file?.['on'] as Row | undefined)?.['workflow_dispatch'] as Row | null | undefined;
  if (trigger === undefined) return refuse(422, "Workflow does not have 'workflow_dispatch' trigger");
  const declared = (trigger?.['inputs'] ?? {}) as Row;
  const unknown = Object.keys(inputs).filter((name) => !(name in declared));
  if (unknown.length > 0) return refuse(422, `Unexpected inputs provided: ${JSON.stringify(unknown)}`);
  const missing = Object.keys(declared).find((name) => declared[name]?.required === true && inputs[name] === undefined);
  if (missing !== undefined) return refuse(422, `Required input '${missing}' not provided`);
  const run: FakeRun = {
    id: nextId(),
    path: workflow.path,
    name: workflow.name,
    commit: branch.commit,
    branch: ref,
    event: 'workflow_dispatch',
    status: 'queued',
    conclusion: null,
    attempt: 1,
    createdAt: now,
    inputs,
    jobs: [],
  };
  repository.runs.push(run);
  queue(run);
  return wantsRun === true ? give(rowsFor(urls).dispatched(repository, run)) : { status: 204 };
}

function log({ repository, parameters, keep }: Call): Answer {
  const job = repository.runs.flatMap(({ jobs }) => jobs).find(({ id }) => String(id) === parameters['job_id']);
  return job?.log === undefined ? NOT_FOUND : { status: 302, headers: { location: keep(job.log) } };
}

const REPOSITORY = '/repos/{owner}/{repo}';

export const ROUTES: Record<string, Route> = {
  'GET /installation/repositories': {
    answer: (call) => {
      const rows = call.visible.map((it) => rowsFor(call.urls).repository(it));
      return page(call, rows, '/installation/repositories', 'repositories');
    },
  },
  'GET /user/repos': {
    answer: (call) =>
      page(
        call,
        call.visible.map((it) => rowsFor(call.urls).repository(it)),
        '/user/repos',
      ),
  },
  [`GET ${REPOSITORY}`]: {
    answer: ({ repository, urls }) => give(rowsFor(urls).fullRepository(repository)),
  },
  [`GET ${REPOSITORY}/branches`]: {
    needs: ['contents', 'read'],
    answer: (call) => {
      const rows = [...call.repository.branches].map(([name, branch]) => rowsFor(call.urls).branch(name, branch));
      return page(call, rows, pathOf(call, '/branches'));
    },
  },
  [`GET ${REPOSITORY}/pulls`]: { needs: ['pull_requests', 'read'], answer: listPulls },
  [`POST ${REPOSITORY}/pulls`]: { needs: ['pull_requests', 'write'], answer: openPull },
  [`GET ${REPOSITORY}/pulls/{pull_number}`]: {
    needs: ['pull_requests', 'read'],
    answer: (call) => orNotFound(pullOf(call), (pull) => give(rowsFor(call.urls).pull(call.repository, pull))),
  },
  [`PATCH ${REPOSITORY}/pulls/{pull_number}`]: {
    needs: ['pull_requests', 'write'],
    answer: (call) => orNotFound(pullOf(call), (pull) => changePull(call, pull, call.body, call.now)),
  },
  [`GET ${REPOSITORY}/pulls/{pull_number}/reviews`]: {
    needs: ['pull_requests', 'read'],
    answer: (call) =>
      orNotFound(pullOf(call), ({ number, reviews }) =>
        page(call, reviews.map(rowsFor(call.urls).review), pathOf(call, `/pulls/${number}/reviews`)),
      ),
  },
  [`GET ${REPOSITORY}/commits/{ref}/check-runs`]: {
    needs: ['checks', 'read'],
    answer: (call) => {
      const sha = commitOf(call);
      const found = call.repository.checkRuns.filter(({ commit }) => commit === sha);
      const rows = lastOf(found, ({ name }) => name).map(rowsFor(call.urls).checkRun);
      return page(call, rows, pathOf(call, `/commits/${sha}/check-runs`), 'check_runs');
    },
  },
  [`GET ${REPOSITORY}/commits/{ref}/status`]: {
    needs: ['statuses', 'read'],
    answer: (call) => {
      const sha = commitOf(call);
      const found = call.repository.statuses.filter(({ commit }) => commit === sha);
      const last = lastOf(found, ({ context }) => context);
      return give(rowsFor(call.urls).combinedStatus(call.repository, sha, last));
    },
  },
  [`GET ${REPOSITORY}/releases`]: {
    needs: ['contents', 'read'],
    answer: (call) => {
      const found = call.repository.releases.toSorted((a, b) => b.createdAt - a.createdAt);
      const rows = found.map((row) => rowsFor(call.urls).release(call.repository, row));
      return page(call, rows, pathOf(call, '/releases'));
    },
  },
  [`GET ${REPOSITORY}/deployments`]: {
    needs: ['deployments', 'read'],
    answer: (call) => {
      const found = call.repository.deployments.toSorted((a, b) => b.createdAt - a.createdAt);
      return page(call, found.map(rowsFor(call.urls).deployment), pathOf(call, '/deployments'));
    },
  },
  [`GET ${REPOSITORY}/deployments/{deployment_id}/statuses`]: {
    needs: ['deployments', 'read'],
    answer: (call) => {
      const { repository, parameters, urls } = call;
      const id = parameters['deployment_id'];
      return orNotFound(
        repository.deployments.find((row) => String(row.id) === id),
        ({ states = [] }) => {
          const rows = states.map(rowsFor(urls).deploymentStatus).toReversed();
          return page(call, rows, pathOf(call, `/deployments/${id}/statuses`));
        },
      );
    },
  },
  [`GET ${REPOSITORY}/issues/{issue_number}/comments`]: {
    needs: ['pull_requests', 'read'],
    answer: (call) =>
      orNotFound(pullOf(call), ({ number }) => {
        const found = call.repository.comments.filter((row) => row.number === number);
        const rows = found.map((row) => rowsFor(call.urls).comment(call.repository, row));
        return page(call, rows, pathOf(call, `/issues/${number}/comments`));
      }),
  },
  [`POST ${REPOSITORY}/issues/{issue_number}/comments`]: {
    needs: ['pull_requests', 'write'],
    answer: (call) =>
      orNotFound(pullOf(call), ({ number }) => {
        const row = { id: call.nextId(), number, user: call.token.login, body: String(call.body['body']) };
        call.repository.comments.push(row);
        return give(rowsFor(call.urls).comment(call.repository, row), 201);
      }),
  },
  [`PATCH ${REPOSITORY}/issues/comments/{comment_id}`]: {
    needs: ['pull_requests', 'write'],
    answer: ({ repository, parameters, body, urls }) =>
      orNotFound(
        repository.comments.find(({ id }) => String(id) === parameters['comment_id']),
        (row) => {
          row.body = String(body['body']);
          return give(rowsFor(urls).comment(repository, row));
        },
      ),
  },
  [`GET ${REPOSITORY}/hooks`]: {
    needs: ['repository_hooks', 'read'],
    answer: (call) => page(call, call.repository.hooks.map(rowsFor(call.urls).hook), pathOf(call, '/hooks')),
  },
  [`POST ${REPOSITORY}/hooks`]: {
    needs: ['repository_hooks', 'write'],
    answer: (call) => saveHook(call, call.nextId()),
  },
  [`PATCH ${REPOSITORY}/hooks/{hook_id}`]: {
    needs: ['repository_hooks', 'write'],
    answer: (call) =>
      orNotFound(
        call.repository.hooks.find(({ id }) => String(id) === call.parameters['hook_id']),
        ({ id }) => saveHook(call, id),
      ),
  },
  [`DELETE ${REPOSITORY}/hooks/{hook_id}`]: {
    needs: ['repository_hooks', 'write'],
    answer: ({ repository, parameters }) => {
      const left = repository.hooks.filter(({ id }) => String(id) !== parameters['hook_id']);
      if (left.length === repository.hooks.length) return NOT_FOUND;
      repository.hooks = left;
      return { status: 204 };
    },
  },
  [`GET ${REPOSITORY}/actions/runs`]: { needs: ['actions', 'read'], answer: listRuns },
  [`GET ${REPOSITORY}/actions/runs/{run_id}`]: {
    needs: ['actions', 'read'],
    answer: (call) => orNotFound(runOf(call), (run) => give(rowsFor(call.urls).run(call.repository, run))),
  },
  [`GET ${REPOSITORY}/actions/runs/{run_id}/jobs`]: {
    needs: ['actions', 'read'],
    answer: (call) =>
      orNotFound(runOf(call), (run) => {
        const rows = run.jobs.map((job) => rowsFor(call.urls).job(call.repository, run, job));
        return page(call, rows, pathOf(call, `/actions/runs/${run.id}/jobs`), 'jobs');
      }),
  },
  [`POST ${REPOSITORY}/actions/runs/{run_id}/rerun-failed-jobs`]: {
    needs: ['actions', 'write'],
    answer: (call) => orNotFound(runOf(call), (run) => rerun(call, run)),
  },
  [`GET ${REPOSITORY}/actions/jobs/{job_id}/logs`]: { needs: ['actions', 'read'], answer: log },
  [`GET ${REPOSITORY}/actions/workflows`]: {
    needs: ['actions', 'read'],
    answer: (call) => {
      const rows = call.repository.workflows.map(rowsFor(call.urls).workflow);
      return page(call, rows, pathOf(call, '/actions/workflows'), 'workflows');
    },
  },
  [`POST ${REPOSITORY}/actions/workflows/{workflow_id}/dispatches`]: { needs: ['actions', 'write'], answer: dispatch },
  [`GET ${REPOSITORY}/contents/{path}`]: {
    needs: ['contents', 'read'],
    answer: ({ repository, parameters, query, urls }) => {
      const ref = query.get('ref') ?? repository.defaultBranch;
      return orNotFound(fileOf(repository, ref, parameters['path']!), (text) =>
        give(rowsFor(urls).file(parameters['path']!, text)),
      );
    },
  },
};
