/**
 * Google Cloud on loopback: its OAuth server and the APIs that Casebook reads, with their hosts as the first segment of
 * the path. Tokens, scopes, permissions, field names and filters are checked as Google does.
 */
import type { ServerResponse } from 'node:http';
import { methods, type GoogleData } from './google-cloud/methods.ts';
import { GoogleOauth, type KeyFile, type OauthAnswer } from './google-cloud/oauth.ts';
import { GoogleRefusal } from './google-cloud/refusal.ts';
import { planAnswers, type AnswerPlan } from './answer-plans.ts';
import { startHttpReceiver, type ReceivedRequest } from './http-receiver.ts';

export { GOOGLE_SCOPES, type GoogleOauth, type KeyFile } from './google-cloud/oauth.ts';

const GOOGLE_TOKEN_URL = 'https://oauth2.googleapis.com/token';

export interface GoogleCloudServer {
  /** What `GOOGLE_OAUTH_URL` is set to: below it are `/o/oauth2/v2/auth`, `/token` and `/revoke`. */
  oauthUrl: string;
  tokenUrl: string;
  /** What `GOOGLE_API_URL` is set to. */
  apiUrl: string;
  project: string;
  /** The key of a service account that may read everything. */
  key: KeyFile;
  oauth: GoogleOauth;
  data: GoogleData;
  requests: ReceivedRequest[];
  /** Requests to one API (`logging`), or to `token`, `auth` or `revoke`. */
  calls(target: string): ReceivedRequest[];
  /** Permissions that nobody has. */
  denied: Set<string>;
  /** APIs, such as `cloudtrace`, that are not enabled in the project. */
  disabled: Set<string>;
  /** How the next requests to a target are answered instead. */
  next(target: string, ...plans: AnswerPlan[]): void;
  /** How all requests to a target are answered instead, from now on. */
  always(target: string, plan: AnswerPlan | undefined): void;
  /** Requests whose connection was closed before they were answered. */
  abandoned(): number;
  stop(): Promise<void>;
}

/** @param options.now unix ms, for the lives of tokens */
export async function startGoogleCloudServer(
  options: { now?: () => number; project?: string } = {},
): Promise<GoogleCloudServer> {
  const { now = Date.now, project = 'shop-prod-4711' } = options;
  let tokenUrl = '';
  const oauth = new GoogleOauth(now, () => [GOOGLE_TOKEN_URL, tokenUrl]);
  const denied = new Set<string>();
  const disabled = new Set<string>();
  const plans = planAnswers();
  const data: GoogleData = {
    project: { id: project, name: 'Shop' },
    otherProjects: [],
    entries: [],
    descriptors: [],
    series: [],
    traces: [],
    errorGroups: [],
    emptyPages: 0,
  };

  const callApi = (request: ReceivedRequest, service: string, path: string, query: URLSearchParams): object => {
    const found = methods
      .filter((each) => each.service === service && each.verb === request.method)
      .map((each) => ({ method: each, match: each.path.exec(path) }))
      .find(({ match }) => match);
    if (!found) throw new GoogleRefusal(404, 'NOT_FOUND', `The requested URL ${path} was not found on this server.`);
    const { method, match } = found;
    const { authorization = '' } = request.headers;
    if (authorization === '') {
      throw new GoogleRefusal(
        403,
        'PERMISSION_DENIED',
        "Method doesn't allow unregistered callers (callers without established identity).",
      );
    }
    const scopes = oauth.scopesOf(authorization.replace(/^Bearer /u, ''));
    if (!scopes) {
      const words = 'Request had invalid authentication credentials. Expected OAuth 2 access token.';
      throw new GoogleRefusal(401, 'UNAUTHENTICATED', words, { reason: 'ACCESS_TOKEN_EXPIRED' });
    }
    if (!scopes.some((scope) => method.scopes.includes(scope))) {
      const words = 'Request had insufficient authentication scopes.';
      throw new GoogleRefusal(403, 'PERMISSION_DENIED', words, { reason: 'ACCESS_TOKEN_SCOPE_INSUFFICIENT' });
    }
    const fields = fieldsOf(request, query);
    for (const name of Object.keys(fields)) {
      if (method.fields.includes(name)) continue;
      const what = request.method === 'GET' ? 'Cannot bind query parameter. Field' : 'Cannot find field';
      throw new GoogleRefusal(
        400,
        'INVALID_ARGUMENT',
        `Invalid JSON payload received. Unknown name "${name}": ${what}.`,
      );
    }
    if (disabled.has(service)) {
      const words = `${service} API has not been used in project 415104041262 before or it is disabled.`;
      throw new GoogleRefusal(403, 'PERMISSION_DENIED', words, { reason: 'SERVICE_DISABLED' });
    }
    const asked = match!.groups?.['project'] ?? String(fields['resourceNames']).replace('projects/', '');
    if (!path.endsWith(':search') && asked !== project) throw unknownProject(service, asked);
    if (denied.has(method.permission)) {
      throw new GoogleRefusal(
        403,
        'PERMISSION_DENIED',
        `Permission '${method.permission}' denied on resource '//cloudresourcemanager.googleapis.com/projects/${asked}' (or it may not exist).`,
        { reason: 'IAM_PERMISSION_DENIED', metadata: { permission: method.permission } },
      );
    }
    return method.run(fields, data, match!);
  };

  const receiver = await startHttpReceiver((request, response) => {
    const url = new URL(request.path, 'http://google');
    const target = targetOf(url.pathname);
    if (plans.answer(target, request, response)) return;
    if (target === 'auth') return sendOauth(response, oauth.authorize(url.searchParams));
    if (target === 'token' || target === 'revoke') {
      const isForm = request.headers['content-type']?.startsWith('application/x-www-form-urlencoded');
      const form = new URLSearchParams(request.body);
      if (request.method !== 'POST' || isForm !== true || url.search !== '')
        return sendOauth(response, { status: 400, body: { error: 'invalid_request' } });
      return sendOauth(response, target === 'token' ? oauth.token(form) : oauth.revoke(form.get('token') ?? ''));
    }
    try {
      const path = url.pathname.replace(`/api/${target}`, '');
      send(response, 200, callApi(request, target, path, url.searchParams));
    } catch (error) {
      if (!(error instanceof GoogleRefusal)) throw error;
      send(response, error.code, error.body);
    }
  });
  tokenUrl = `${receiver.url}/token`;

  return {
    oauthUrl: receiver.url,
    tokenUrl,
    apiUrl: `${receiver.url}/api`,
    project,
    key: oauth.createServiceAccount(project),
    oauth,
    data,
    requests: receiver.requests,
    calls: (target) =>
      receiver.requests.filter(({ path }) => targetOf(new URL(path, 'http://google').pathname) === target),
    denied,
    disabled,
    next: plans.next,
    always: plans.always,
    abandoned: plans.abandoned,
    stop: receiver.stop,
  };
}

function targetOf(path: string): string {
  if (path === '/o/oauth2/v2/auth') return 'auth';
  return /^\/api\/([a-z]+)\//u.exec(path)?.[1] ?? path.slice(1);
}

/** Query parameters, repeated ones as lists; or the members of the body. */
function fieldsOf({ method, body, headers }: ReceivedRequest, query: URLSearchParams): Record<string, unknown> {
  if (method === 'GET')
    return Object.fromEntries(
      [...new Set(query.keys())].map((name) => {
        const values = query.getAll(name);
        return [name, values.length > 1 ? values : values[0]];
      }),
    );
  if (!headers['content-type']?.startsWith('application/json'))
    throw new GoogleRefusal(400, 'INVALID_ARGUMENT', 'Invalid JSON payload received. Unexpected token.');
  return { ...Object.fromEntries(query), ...(JSON.parse(body) as Record<string, unknown>) };
}

/** Resource Manager does not tell whether a project exists. */
function unknownProject(service: string, project: string): GoogleRefusal {
  if (service === 'cloudresourcemanager')
    return new GoogleRefusal(403, 'PERMISSION_DENIED', 'The caller does not have permission');
  return new GoogleRefusal(404, 'NOT_FOUND', `The project ${project} does not exist.`);
}

function sendOauth(response: ServerResponse, { status, body, location }: OauthAnswer): void {
  if (location !== undefined) response.writeHead(status, { location }).end();
  else send(response, status, body ?? {});
}

function send(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { 'content-type': 'application/json; charset=UTF-8' }).end(JSON.stringify(body));
}
