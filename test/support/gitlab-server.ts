/**
 * GitLab on loopback: its OAuth server and the part of its REST API that Casebook uses, with what it asks of tokens, scopes
 * and roles. There is no real one to test with.
 */
import { createHash } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import { planAnswers, type AnswerPlan } from './answer-plans.ts';
import { GitLabOauth, type OauthAnswer } from './gitlab/oauth.ts';
import { GitLabRefusal, projectRoutes, type Answer, type Fields } from './gitlab/routes.ts';
import { rowsFor } from './gitlab/rows.ts';
import { newProject, type FakeProject } from './gitlab/state.ts';
import { startHttpReceiver, type ReceivedRequest } from './http-receiver.ts';

export { newSha } from './gitlab/routes.ts';
export type { FakePipeline, FakeProject, FakeRequest } from './gitlab/state.ts';

export interface GitLabServer {
  /** What `CASEBOOK_GITLAB_URL` is set to. */
  url: string;
  oauth: GitLabOauth;
  projects: FakeProject[];
  addProject(path: string, members?: Record<string, number>): FakeProject;
  requests: ReceivedRequest[];
  /** How the next requests to a target are answered instead: `token`, `revoke`, `authorize` or `api`. */
  next(target: string, ...plans: AnswerPlan[]): void;
  /** How all requests to a target are answered instead, from now on. */
  always(target: string, plan: AnswerPlan | undefined): void;
  stop(): Promise<void>;
}

/** @param options.now unix ms, for the lives of tokens */
export async function startGitLabServer({ now = Date.now }: { now?: () => number } = {}): Promise<GitLabServer> {
  const oauth = new GitLabOauth(now);
  const plans = planAnswers();
  const projects: FakeProject[] = [];
  let lastId = 100;
  const id = (): number => (lastId += 1);
  let answerApi: (request: ReceivedRequest, url: URL) => Answer = () => ({ none: true });

  const receiver = await startHttpReceiver((request, response) => {
    const url = new URL(request.path, receiver.url);
    const target = targetOf(url.pathname);
    if (plans.answer(target, request, response)) return;
    const form = new URLSearchParams(request.body);
    if (target === 'authorize') return sendOauth(response, oauth.authorize(url.searchParams));
    if (target === 'token') return sendOauth(response, oauth.token(form));
    if (target === 'revoke') return sendOauth(response, oauth.revoke(form));
    try {
      send(response, request, url, answerApi(request, url));
    } catch (error) {
      if (!(error instanceof GitLabRefusal)) throw error;
      sendJson(response, error.status, error.body);
    }
  });

  const rows = rowsFor(receiver.url);
  const routes = projectRoutes(rows, now, id);

  answerApi = (request, url) => {
    const access = (request.headers['authorization'] ?? '').replace(/^Bearer /u, '');
    const token = oauth.tokens.get(access);
    if (!token) throw new GitLabRefusal(401, { message: '401 Unauthorized' });
    if (token.isRevoked || token.expiresAt <= now())
      throw new GitLabRefusal(401, {
        error: 'invalid_token',
        error_description: token.isRevoked
          ? 'Token was revoked. You have to re-authorize from the user.'
          : 'Token is expired. You can either do re-authorization or token refresh.',
      });
    if (url.pathname === '/oauth/token/info')
      return {
        one: {
          resource_owner_id: rows.user(token.user).id,
          scope: token.scopes,
          expires_in: Math.floor((token.expiresAt - now()) / 1000),
          application: { uid: oauth.client.id },
        },
      };
    const isReading = request.method === 'GET';
    if (!token.scopes.includes('api') && !(isReading && token.scopes.includes('read_api')))
      throw new GitLabRefusal(403, {
        error: 'insufficient_scope',
        error_description: 'The request requires higher privileges than provided by the access token.',
        scope: isReading ? 'api read_api' : 'api',
      });
    const [, , , ...segments] = url.pathname.split('/').map(decodeURIComponent);
    const [first, name, ...rest] = segments;
    if (first === 'user') return { one: { ...rows.user(token.user), email: `${token.user}@shop.example` } };
    if (first === 'metadata') return { one: { version: '18.5.1-ee', revision: '0b0e1f5d3a9', enterprise: true } };
    if (first !== 'projects') throw new GitLabRefusal(404, { error: '404 Not Found' });
    if (name === undefined) return { list: projectsFor(token.user, url.searchParams).map((it) => rows.project(it)) };

    const project = projects.find((one) => one.path === name || String(one.id) === name);
    const level = project?.members.get(token.user) ?? (project?.visibility === 'public' ? 10 : 0);
    if (!project || level === 0) throw new GitLabRefusal(404, { message: '404 Project Not Found' });
    const route = routes.find((one) => one.method === request.method && matches(one.path, rest));
    if (!route) throw new GitLabRefusal(404, { error: '404 Not Found' });
    if (project.hidesReleases && ['releases', 'deployments'].includes(route.path))
      throw new GitLabRefusal(403, { message: '403 Forbidden' });
    return route.answer({
      user: token.user,
      scopes: token.scopes,
      query: url.searchParams,
      body: request.body === '' ? {} : (JSON.parse(request.body) as Fields),
      rest,
      project,
      require(least) {
        if (level < least) throw new GitLabRefusal(403, { message: '403 Forbidden' });
      },
    });
  };

  const projectsFor = (user: string, query: URLSearchParams): FakeProject[] => {
    const least = Number(query.get('min_access_level') ?? 1);
    return projects
      .filter(({ members, visibility }) =>
        query.get('membership') === 'true'
          ? (members.get(user) ?? 0) >= least
          : visibility === 'public' || members.has(user),
      )
      .filter((one) => one.id > Number(query.get('id_after') ?? 0))
      .toSorted((a, b) => (query.get('sort') === 'asc' ? a.id - b.id : b.id - a.id));
  };

  return {
    url: receiver.url,
    oauth,
    projects,
    addProject(path, members = { ann: 40 }) {
      const made = newProject(id(), path, members);
      projects.push(made);
      return made;
    },
    requests: receiver.requests,
    next: plans.next,
    always: plans.always,
    stop: receiver.stop,
  };
}

function targetOf(path: string): string {
  const found = /^\/oauth\/(authorize|token|revoke)$/u.exec(path);
  return found ? found[1]! : 'api';
}

function matches(path: string, rest: readonly string[]): boolean {
  const wanted = path.split('/').filter(Boolean);
  return wanted.length === rest.length && wanted.every((each, index) => each.startsWith(':') || each === rest[index]);
}

function sendOauth(response: ServerResponse, { status, body, location }: OauthAnswer): void {
  if (location !== undefined) response.writeHead(status, { location }).end();
  else sendJson(response, status, body ?? {});
}

const sendJson = (
  response: ServerResponse,
  status: number,
  body: unknown,
  headers: Record<string, string> = {},
): void =>
  void response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body));

function send(response: ServerResponse, request: ReceivedRequest, url: URL, answer: Answer): void {
  if ('none' in answer) return void response.writeHead(204).end();
  if ('text' in answer) return void response.writeHead(200, { 'content-type': 'text/plain' }).end(answer.text);
  const { body, headers } = 'list' in answer ? pageOf(answer.list, url) : { body: answer.one, headers: {} };
  const etag = `W/"${createHash('md5').update(JSON.stringify(body)).digest('hex')}"`;
  if (request.method === 'GET' && request.headers['if-none-match'] === etag)
    return void response.writeHead(304, { etag }).end();
  sendJson(response, request.method === 'POST' ? 201 : 200, body, { ...headers, etag });
}

function pageOf(list: readonly unknown[], url: URL): { body: unknown[]; headers: Record<string, string> } {
  const perPage = Math.min(Number(url.searchParams.get('per_page') ?? 20), 100);
  const page = Number(url.searchParams.get('page') ?? 1);
  const body = list.slice((page - 1) * perPage, page * perPage);
  const isLast = page * perPage >= list.length;
  const next = new URL(url);
  next.searchParams.set('page', String(page + 1));
  return {
    body,
    headers: {
      'x-page': String(page),
      'x-per-page': String(perPage),
      'x-total': String(list.length),
      'x-next-page': isLast ? '' : String(page + 1),
      ...(!isLast && { link: `<${next.href}>; rel="next"` }),
    },
  };
}
