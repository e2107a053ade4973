/** The requests that a fake GitLab answers (https://docs.gitlab.com/api/rest/). */
import { randomBytes } from 'node:crypto';
import type { FakePipeline, FakeProject, FakeRequest } from './state.ts';
import type { rowsFor } from './rows.ts';

/** As GitLab refuses. */
export class GitLabRefusal extends Error {
  readonly status: number;
  readonly body: object;
  constructor(status: number, body: object) {
    super(JSON.stringify(body));
    this.status = status;
    this.body = body;
  }
}

const notFound = (what: string): GitLabRefusal => new GitLabRefusal(404, { message: `404 ${what}Not Found` });
const badRequest = (message: unknown): GitLabRefusal => new GitLabRefusal(400, { message });

export type Fields = Record<string, unknown>;

/** A request of one user. */
export interface Asked {
  user: string;
  scopes: string[];
  query: URLSearchParams;
  body: Fields;
  /** Path segments after `projects/:id`. */
  rest: string[];
  project: FakeProject;
  /** What is above the least that a member may. */
  require(level: number): void;
}

/** A list is cut into pages by whoever sends it. */
export type Answer = { list: unknown[] } | { one: unknown } | { text: string } | { none: true };

interface Route {
  method: string;
  /** Segments after `projects/:id`; `:name` is any one. */
  path: string;
  answer(asked: Asked): Answer;
}

const DEVELOPER = 30;
const MAINTAINER = 40;
const HOOK_EVENTS = ['push_events', 'tag_push_events', 'merge_requests_events', 'pipeline_events', 'note_events'];

const text = (fields: Fields, name: string): string | undefined => {
  const value = fields[name];
  return typeof value === 'string' ? value : undefined;
};

/** @param now unix ms; @param id a new id */
export function projectRoutes(rows: ReturnType<typeof rowsFor>, now: () => number, id: () => number): Route[] {
  const requestOf = ({ project, rest }: Asked): FakeRequest => {
    const found = project.requests.find(({ iid }) => String(iid) === rest[1]);
    if (!found) throw notFound('');
    return found;
  };
  const pipelineOf = ({ project, rest }: Asked): FakePipeline => {
    const found = project.pipelines.find((each) => String(each.id) === rest[1]);
    if (!found) throw notFound('Not found: Pipeline ');
    return found;
  };
  const hookOf = ({ project, rest }: Asked) => {
    const found = project.hooks.find((each) => String(each.id) === rest[1]);
    if (!found) throw notFound('');
    return found;
  };
  const eventsOf = (body: Fields): string[] => HOOK_EVENTS.filter((event) => body[event] === true);

  return [
    { method: 'GET', path: '', answer: ({ project }) => ({ one: rows.project(project) }) },
    {
      method: 'GET',
      path: 'repository/branches',
      answer: ({ project }) => ({ list: [...project.branches].map(([name, it]) => rows.branch(name, it)) }),
    },
    {
      method: 'GET',
      path: 'repository/files/:path/raw',
      answer({ project, rest, query }) {
        const content = project.files.get(`${query.get('ref') ?? 'HEAD'}:${rest[2] ?? ''}`);
        if (content === undefined) throw notFound('File ');
        return { text: content };
      },
    },
    {
      method: 'GET',
      path: 'merge_requests',
      answer({ project, query }) {
        const after = Date.parse(query.get('updated_after') ?? '1970-01-01');
        const found = project.requests
          .filter(({ source }) => !query.has('source_branch') || query.get('source_branch') === source)
          .filter(({ state }) => !query.has('state') || ['all', state].includes(query.get('state')!))
          .filter(({ updatedAt }) => updatedAt >= after);
        const key = query.get('order_by') === 'updated_at' ? 'updatedAt' : 'createdAt';
        const sorted = found.toSorted((a, b) => a[key] - b[key] || a.iid - b.iid);
        const ordered = query.get('sort') === 'asc' ? sorted : sorted.toReversed();
        return { list: ordered.map((row) => rows.request(project, row)) };
      },
    },
    {
      method: 'POST',
      path: 'merge_requests',
      answer({ project, body, user, require }) {
        require(DEVELOPER);
        const [source, target, title] = ['source_branch', 'target_branch', 'title'].map((name) => text(body, name));
        if (source === undefined || target === undefined || title === undefined)
          throw badRequest('source_branch, target_branch or title is missing');
        const branch = project.branches.get(source);
        const open = project.requests.find(
          (one) => one.source === source && one.target === target && one.state === 'opened',
        );
        if (open)
          throw new GitLabRefusal(409, {
            message: [`Another open merge request already exists for this source branch: !${open.iid}`],
          });
        if (!branch) throw badRequest({ source_branch: ['does not exist'] });
        const made: FakeRequest = {
          iid: project.requests.length + 1,
          title,
          description: text(body, 'description') ?? null,
          source,
          target,
          state: 'opened',
          sha: branch.sha,
          author: user,
          createdAt: now(),
          updatedAt: now(),
          approvedBy: [],
          requestedChanges: false,
          notes: [],
        };
        project.requests.push(made);
        return { one: rows.wholeRequest(project, made) };
      },
    },
    {
      method: 'GET',
      path: 'merge_requests/:iid',
      answer: (asked) => ({ one: rows.wholeRequest(asked.project, requestOf(asked)) }),
    },
    {
      method: 'PUT',
      path: 'merge_requests/:iid',
      answer(asked) {
        asked.require(DEVELOPER);
        const found = requestOf(asked);
        const { body } = asked;
        if (Object.keys(body).length === 0) throw badRequest('at least one parameter must be provided');
        found.title = text(body, 'title') ?? found.title;
        found.description = text(body, 'description') ?? found.description;
        if (body['state_event'] === 'close' && found.state === 'opened') found.state = 'closed';
        if (body['state_event'] === 'reopen' && found.state === 'closed') found.state = 'opened';
        found.updatedAt = now();
        return { one: rows.wholeRequest(asked.project, found) };
      },
    },
    {
      method: 'GET',
      path: 'merge_requests/:iid/approvals',
      answer: (asked) => ({ one: rows.approvals(asked.project, requestOf(asked)) }),
    },
    {
      method: 'GET',
      path: 'merge_requests/:iid/notes',
      answer(asked) {
        const { iid, notes } = requestOf(asked);
        const sorted = asked.query.get('sort') === 'asc' ? notes : notes.toReversed();
        return { list: sorted.map((one) => rows.note(one, iid)) };
      },
    },
    {
      method: 'POST',
      path: 'merge_requests/:iid/notes',
      answer(asked) {
        const { iid, notes } = requestOf(asked);
        const made = { id: id(), author: asked.user, body: text(asked.body, 'body') ?? '', system: false };
        notes.push(made);
        return { one: rows.note(made, iid) };
      },
    },
    {
      method: 'PUT',
      path: 'merge_requests/:iid/notes/:note',
      answer(asked) {
        const { iid, notes } = requestOf(asked);
        const found = notes.find((one) => String(one.id) === asked.rest[3]);
        if (!found) throw notFound('Note ');
        if (found.author !== asked.user) throw new GitLabRefusal(403, { message: '403 Forbidden' });
        found.body = text(asked.body, 'body') ?? found.body;
        return { one: rows.note(found, iid) };
      },
    },
    {
      method: 'GET',
      path: 'pipelines',
      answer({ project, query }) {
        const after = Date.parse(query.get('updated_after') ?? '1970-01-01');
        const found = project.pipelines
          .filter(({ ref }) => !query.has('ref') || query.get('ref') === ref)
          .filter(({ sha }) => !query.has('sha') || query.get('sha') === sha)
          .filter(({ updatedAt }) => updatedAt >= after)
          .toSorted((a, b) => b.id - a.id);
        return { list: found.map((row) => rows.pipeline(project, row)) };
      },
    },
    {
      method: 'GET',
      path: 'pipelines/:id',
      answer: (asked) => ({ one: { ...rows.pipeline(asked.project, pipelineOf(asked)), tag: false } }),
    },
    {
      method: 'GET',
      path: 'pipelines/:id/jobs',
      answer(asked) {
        const found = pipelineOf(asked);
        return { list: found.jobs.map((row) => rows.job(asked.project, found, row)) };
      },
    },
    {
      method: 'POST',
      path: 'pipelines/:id/retry',
      answer(asked) {
        asked.require(DEVELOPER);
        const found = pipelineOf(asked);
        // A job that runs again is another job; the lists have the newest of each name.
        for (const job of found.jobs) if (job.status === 'failed') job.id = id();
        Object.assign(found, { status: 'running', updatedAt: now() });
        asked.project.retried?.(found);
        return { one: { ...rows.pipeline(asked.project, found), tag: false } };
      },
    },
    {
      method: 'POST',
      path: 'pipeline',
      answer({ project, body, require }) {
        require(DEVELOPER);
        const ref = text(body, 'ref') ?? '';
        const branch = project.branches.get(ref);
        if (!branch) throw badRequest({ base: ['Reference not found'] });
        const made: FakePipeline = {
          id: id(),
          sha: branch.sha,
          ref,
          source: 'api',
          status: 'created',
          createdAt: now(),
          updatedAt: now(),
          inputs: (body['inputs'] ?? {}) as Record<string, unknown>,
          variables: (body['variables'] ?? []) as { key: string; value: string }[],
          jobs: [],
        };
        project.pipelines.push(made);
        project.started?.(made);
        return { one: { ...rows.pipeline(project, made), tag: false } };
      },
    },
    {
      method: 'GET',
      path: 'jobs/:id/trace',
      answer({ project, rest }) {
        const found = project.pipelines.flatMap(({ jobs }) => jobs).find((each) => String(each.id) === rest[1]);
        if (!found) throw notFound('');
        return { text: found.log };
      },
    },
    {
      method: 'GET',
      path: 'releases',
      answer: ({ project }) => ({ list: project.releases.toReversed().map((row) => rows.release(project, row)) }),
    },
    {
      method: 'GET',
      path: 'deployments',
      answer({ project, query }) {
        const after = Date.parse(query.get('updated_after') ?? '1970-01-01');
        const found = project.deployments
          .filter(({ status }) => !query.has('status') || query.get('status') === status)
          .filter(({ at }) => at >= after)
          .toReversed();
        return { list: found.map((row) => rows.deployment(project, row)) };
      },
    },
    {
      method: 'GET',
      path: 'hooks',
      answer({ project, require }) {
        require(MAINTAINER);
        return { list: project.hooks.map((row) => rows.hook(project, row)) };
      },
    },
    {
      method: 'POST',
      path: 'hooks',
      answer({ project, body, require }) {
        require(MAINTAINER);
        const made = {
          id: id(),
          url: text(body, 'url') ?? '',
          token: text(body, 'token') ?? '',
          events: eventsOf(body),
        };
        if (made.url === '') throw badRequest('url is missing');
        project.hooks.push(made);
        return { one: rows.hook(project, made) };
      },
    },
    {
      method: 'PUT',
      path: 'hooks/:id',
      answer(asked) {
        asked.require(MAINTAINER);
        const found = hookOf(asked);
        Object.assign(found, { token: text(asked.body, 'token') ?? found.token, events: eventsOf(asked.body) });
        return { one: rows.hook(asked.project, found) };
      },
    },
    {
      method: 'DELETE',
      path: 'hooks/:id',
      answer(asked) {
        asked.require(MAINTAINER);
        const found = hookOf(asked);
        asked.project.hooks = asked.project.hooks.filter((each) => each !== found);
        return { none: true };
      },
    },
  ];
}

/** A new commit id. */
export const newSha = (): string => randomBytes(20).toString('hex');
