/**
 * GitHub on loopback: its REST API, as far as Casebook calls it, also as Enterprise Server has it. Requests and answers
 * are checked against GitHub's published description (github/openapi.NOTICE). What a token does not see is not found.
 * It serves no Git: a repository may have the folder of a bare one that is served elsewhere.
 */
import { createHash, randomBytes } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import { planAnswers, type AnswerPlan } from './answer-plans.ts';
import { jwtProblem } from './github/credentials.ts';
import { answerProblems, fill, requestProblems, TEMPLATES, type Row } from './github/description.ts';
import { followGit, mergeInGit } from './github/git.ts';
import { NOT_FOUND, refuse, ROUTES, type Answer } from './github/routes.ts';
import { user } from './github/rows.ts';
import {
  newRepository,
  type FakeApp,
  type FakePull,
  type FakeRepository,
  type FakeRun,
  type FakeToken,
} from './github/state.ts';
import { startHttpReceiver, type ReceivedRequest } from './http-receiver.ts';

export type { FakeApp, FakeJob, FakePull, FakeRepository, FakeRun, FakeToken } from './github/state.ts';

export interface GitHubServer {
  /** `CASEBOOK_GITHUB_API_URL` */
  url: string;
  /** The same, as Enterprise Server has it. */
  enterpriseUrl: string;
  /** Of another host, where logs are kept. */
  storageUrl: string;
  repositories: FakeRepository[];
  /** A repository that all tokens see, with a branch `main`. */
  addRepository(fullName: string, settings?: Partial<FakeRepository>): FakeRepository;
  /** By their values. */
  tokens: Map<string, FakeToken>;
  /** A classic token, with all that Casebook needs. */
  token: string;
  app: FakeApp | undefined;
  /** Moves a branch, which may be new, to a commit, and the open requests from it. @returns the commit, new by default */
  push(repository: FakeRepository, branch: string, commit?: string): string;
  /** Merges a request: moves its base to a new commit. */
  merge(repository: FakeRepository, pull: FakePull): string;
  /** Is called when a run was queued: it may end the jobs, or not. */
  runner: ((run: FakeRun) => void) | undefined;
  /** Requests left for everybody, and when there are more, in unix seconds. */
  limit: { remaining: number; resetsAt: number };
  requests: ReceivedRequest[];
  /** To where logs are kept. */
  storageRequests: ReceivedRequest[];
  /** Answers of 304. */
  notModified: number;
  /** What did not keep to the description; `stop` throws if there is any. */
  problems: string[];
  /** How the next requests are answered instead. */
  next(...plans: AnswerPlan[]): void;
  /** Requests whose connection was closed before they were answered. */
  abandoned(): number;
  stop(): Promise<void>;
}

const ENTERPRISE = '/api/v3';
/** More parameters, fewer fixed words: last. */
const matchers = TEMPLATES.map((template) => ({
  template,
  pattern: new RegExp(`^${template.replaceAll(/\{(\w+)\}/gu, '(?<$1>[^/]+)')}$`, 'u'),
}));

/** @param options.now unix ms */
export async function startGitHubServer(options: { now?: () => number } = {}): Promise<GitHubServer> {
  const { now = Date.now } = options;
  const plans = planAnswers();
  const kept = new Map<string, string>();
  let lastId = 1000;
  const nextId = (): number => (lastId += 1);

  const storage = await startHttpReceiver((request, response) => {
    const text = kept.get(request.path);
    // Storage refuses requests with two credentials.
    const status = text === undefined ? 404 : request.headers['authorization'] === undefined ? 200 : 400;
    response.writeHead(status, { 'content-type': 'text/plain' }).end(status === 200 ? text : '');
  });
  const keep = (text: string): string => {
    const path = `/logs/${randomBytes(6).toString('hex')}?sig=${randomBytes(12).toString('hex')}`;
    kept.set(path, text);
    return storage.url + path;
  };

  const receiver = await startHttpReceiver((request, response) => {
    if (!plans.answer('api', request, response)) answer(request, response);
  });

  const answer = (request: ReceivedRequest, response: ServerResponse): void => {
    const isEnterprise = request.path.startsWith(ENTERPRISE);
    const url = new URL(isEnterprise ? request.path.slice(ENTERPRISE.length) : request.path, receiver.url);
    const found = matchers.find(({ pattern }) => pattern.test(url.pathname));
    const token = server.tokens.get(
      /^(?:bearer|token) (?<value>.+)$/iu.exec(request.headers['authorization'] ?? '')?.groups?.['value'] ?? '',
    );
    const headers: Record<string, string> = {
      'x-ratelimit-limit': '5000',
      'x-ratelimit-remaining': String(server.limit.remaining),
      'x-ratelimit-reset': String(server.limit.resetsAt),
      ...(isEnterprise && { 'x-github-enterprise-version': 'enterprise-server@3.19.1' }),
      ...(token?.scopes !== undefined && { 'x-oauth-scopes': token.scopes }),
      ...(token?.scopes === undefined &&
        token?.expiresAt !== undefined && {
          'github-authentication-token-expiration': new Date(token.expiresAt)
            .toISOString()
            .replace('T', ' ')
            .replace(/\..*/u, ' UTC'),
        }),
    };
    const send = ({ status, body, headers: more }: Answer): void => {
      if (body === undefined) {
        response.writeHead(status, { ...headers, ...more }).end();
        return;
      }
      const text = JSON.stringify(body);
      const etag = `W/"${createHash('sha256').update(text).digest('hex')}"`;
      if (request.method === 'GET' && status === 200 && request.headers['if-none-match'] === etag) {
        server.notModified += 1;
        response.writeHead(304, { ...headers, ...more, etag }).end();
        return;
      }
      // What is not modified costs nothing.
      server.limit.remaining -= 1;
      response
        .writeHead(status, {
          ...headers,
          ...more,
          'content-type': 'application/json; charset=utf-8',
          ...(status === 200 && { etag }),
        })
        .end(text);
    };
    if (!found) return send(problem(`no operation ${request.method} ${url.pathname}`));
    const asked = {
      method: request.method,
      template: found.template,
      query: url.searchParams,
      body: request.body === '' ? undefined : (JSON.parse(request.body) as unknown),
    };
    const parameters = Object.fromEntries(
      Object.entries(found.pattern.exec(url.pathname)?.groups ?? {}).map(([name, value]) => [
        name,
        decodeURIComponent(value),
      ]),
    );
    const where = `${request.method} ${found.template}`;
    const wrong = requestProblems(asked);
    if (wrong.length > 0) return send(problem(`${where}: ${wrong.join('; ')}`));
    const given = respond(where, {
      parameters,
      query: asked.query,
      body: asked.body ?? {},
      token,
      isEnterprise,
      request,
    });
    const mismatches = answerProblems(asked, { status: given.status, body: given.body });
    send(mismatches.length > 0 ? problem(`${where} answers ${given.status}: ${mismatches.join('; ')}`) : given);
  };

  const problem = (text: string): Answer => {
    server.problems.push(text);
    return refuse(500, `The fake GitHub does not keep to GitHub's description: ${text}`);
  };

  const respond = (
    where: string,
    call: {
      parameters: Record<string, string>;
      query: URLSearchParams;
      body: Row;
      token: FakeToken | undefined;
      isEnterprise: boolean;
      request: ReceivedRequest;
    },
  ): Answer => {
    const { parameters, token, isEnterprise, request } = call;
    if (request.headers['user-agent'] === undefined) return refuse(403, 'Request forbidden by administrative rules.');
    if (server.limit.remaining <= 0) return refuse(403, 'API rate limit exceeded for user ID 1.');
    if (/^\w+ \/app(?:\/|$)/u.test(where)) return respondToApp(where, request, parameters);
    if (!token || (token.expiresAt ?? Infinity) < now()) return refuse(401, 'Bad credentials');
    if (where === 'GET /user')
      return token.login.endsWith('[bot]')
        ? refuse(403, 'Resource not accessible by integration')
        : { status: 200, body: fill('private-user', user(token.login)) };
    const route = ROUTES[where];
    if (!route) return NOT_FOUND;
    const visible = server.repositories.filter(({ owner, name }) => token.repositories.has(`${owner}/${name}`));
    const repository = visible.find((it) => it.owner === parameters['owner'] && it.name === parameters['repo']);
    if (parameters['repo'] !== undefined && !repository) return NOT_FOUND;
    if (repository) followGit(repository);
    if (route.needs && !isAllowed(token, ...route.needs)) {
      const kind = token.login.endsWith('[bot]') ? 'integration' : 'personal access token';
      return refuse(403, `Resource not accessible by ${kind}`);
    }
    const urls = { api: isEnterprise ? server.enterpriseUrl : server.url, web: server.url };
    return route.answer({
      ...call,
      token,
      visible,
      repository: repository!,
      urls,
      now: now(),
      nextId,
      keep,
      queue: (run) => server.runner?.(run),
    });
  };

  const respondToApp = (where: string, { headers }: ReceivedRequest, parameters: Record<string, string>): Answer => {
    const { app } = server;
    const jwt = /^bearer (?<jwt>.+)$/iu.exec(headers['authorization'] ?? '')?.groups?.['jwt'];
    if (jwt === undefined || !app) return refuse(401, 'A JSON web token could not be decoded');
    const wrong = jwtProblem(jwt, app, now());
    if (wrong !== undefined) return refuse(401, wrong);
    const { id, account, permissions, repositories } = app.installation;
    if (parameters['installation_id'] !== String(id)) return NOT_FOUND;
    if (where === 'GET /app/installations/{installation_id}') {
      const more = { app_slug: app.slug, account: user(account), permissions };
      return { status: 200, body: fill('installation', { id, app_id: Number(app.id), ...more, events: [] }) };
    }
    if (app.isSuspended) return refuse(403, 'This installation has been suspended');
    const value = `ghs_${randomBytes(18).toString('hex')}`;
    const expiresAt = now() + app.tokenLifeMs;
    server.tokens.set(value, { login: `${app.slug}[bot]`, repositories, permissions, expiresAt });
    app.minted.push(value);
    return {
      status: 201,
      body: fill('installation-token', { token: value, expires_at: new Date(expiresAt).toISOString(), permissions }),
    };
  };

  const token = `ghp_${randomBytes(18).toString('hex')}`;
  const server: GitHubServer = {
    url: receiver.url,
    enterpriseUrl: receiver.url + ENTERPRISE,
    storageUrl: storage.url,
    repositories: [],
    addRepository(fullName, settings = {}) {
      const repository = { ...newRepository(nextId(), fullName), ...settings };
      server.repositories.push(repository);
      for (const { repositories } of server.tokens.values()) repositories.add(fullName);
      server.app?.installation.repositories.add(fullName);
      return repository;
    },
    tokens: new Map([[token, { login: 'casey', scopes: 'repo, workflow', repositories: new Set<string>() }]]),
    token,
    app: undefined,
    runner: undefined,
    push(repository, branch, commit = randomBytes(20).toString('hex')) {
      const isProtected = repository.branches.get(branch)?.isProtected ?? false;
      repository.branches.set(branch, { commit, isProtected });
      for (const pull of repository.pulls) if (pull.state === 'open' && pull.head === branch) pull.headCommit = commit;
      return commit;
    },
    merge(repository, pull) {
      const mergeCommit = server.push(repository, pull.base, mergeInGit(repository, pull));
      Object.assign(pull, { state: 'closed', mergedAt: now(), updatedAt: now(), mergeCommit });
      return mergeCommit;
    },
    limit: { remaining: 5000, resetsAt: Math.floor(now() / 1000) + 3600 },
    requests: receiver.requests,
    storageRequests: storage.requests,
    notModified: 0,
    problems: [],
    next: (...some) => plans.next('api', ...some),
    abandoned: plans.abandoned,
    async stop() {
      await receiver.stop();
      await storage.stop();
      if (server.problems.length > 0) throw new Error(server.problems.join('\n'));
    },
  };
  return server;
}

/** Without a list of permissions, a token may do everything. */
function isAllowed({ permissions }: FakeToken, name: string, access: 'read' | 'write'): boolean {
  const given = permissions?.[name];
  return permissions === undefined || given === 'write' || given === access;
}
