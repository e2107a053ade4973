/**
 * A Kubernetes API server as far as reading goes, over objects in memory. Every request is held against the official
 * OpenAPI document (unknown paths 404, unknown or ill-typed parameters 400, anything but GET 405), and so is every
 * answer. Paging, selectors, bearer tokens and refusals by RBAC are as the real one has them.
 */
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { addressOf } from '../address.ts';
import { assertIs, parameterFault, routeOf, type Route } from './document.ts';
import { statusObject, type KubernetesObject } from './objects.ts';
import { matchesSelectors } from './selectors.ts';

export const TOKEN = 'eyJhbGciOi.satellite';

export interface TestKubernetes {
  url: string;
  /** By resource: `pods`, `deployments` … */
  objects: Record<string, KubernetesObject[]>;
  /** Lines of logs, by `namespace/pod/container`; `…/previous` for the one before. */
  logs: Record<string, string[]>;
  /** Resources that RBAC does not let the token list. */
  forbidden: Set<string>;
  /** Paths with queries, as asked for. */
  requests: string[];
  /** Faults of the connector or of the fixtures; empty when all was as the document says. */
  faults: string[];
  /** The next `continue` token that comes has expired. */
  expireNextContinue: boolean;
  /** Resources that are never answered. */
  hanging: Set<string>;
  abandoned: () => number;
  stop(): Promise<void>;
}

class Refusal extends Error {
  readonly code: number;
  readonly reason: string;
  readonly next?: string;
  constructor(code: number, reason: string, message: string, next?: string) {
    super(message);
    this.code = code;
    this.reason = reason;
    this.next = next;
  }
}

export async function startKubernetes(): Promise<TestKubernetes> {
  let abandoned = 0;
  const state: Omit<TestKubernetes, 'url' | 'stop'> = {
    objects: {},
    logs: {},
    forbidden: new Set(),
    requests: [],
    faults: [],
    expireNextContinue: false,
    hanging: new Set(),
    abandoned: () => abandoned,
  };
  const server = createServer((request, response) => {
    const url = new URL(request.url!, 'http://x');
    state.requests.push(`${url.pathname}${decodeURIComponent(url.search)}`);
    if (state.hanging.has(url.pathname.split('/').at(-1)!)) {
      response.on('close', () => (abandoned += 1));
      return;
    }
    try {
      answer(state, request, url, response);
    } catch (error) {
      const refusal = error instanceof Refusal ? error : new Refusal(500, 'InternalError', String(error));
      if (refusal.code === 400 || refusal.code === 405 || refusal.code === 500) state.faults.push(refusal.message);
      send(response, refusal.code, statusObject(refusal.code, refusal.reason, refusal.message, refusal.next));
    }
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return Object.assign(state, {
    url: `http://127.0.0.1:${addressOf(server).port}`,
    async stop() {
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  });
}

type State = Omit<TestKubernetes, 'url' | 'stop'>;

function answer(state: State, request: IncomingMessage, url: URL, response: ServerResponse): void {
  const route = routeOf(url.pathname);
  if (!route) throw new Refusal(404, 'NotFound', 'the server could not find the requested resource');
  if (request.method !== 'GET') throw new Refusal(405, 'MethodNotAllowed', `${request.method} is not reading`);
  for (const [name, value] of url.searchParams) {
    const fault = parameterFault(route, name, value);
    if (fault) throw new Refusal(400, 'BadRequest', fault);
  }
  if (request.headers.authorization !== `Bearer ${TOKEN}`) throw new Refusal(401, 'Unauthorized', 'Unauthorized');
  if (url.pathname.endsWith('/log')) return sendLog(state, route, url.searchParams, response);
  const body = route.path === '/version/' ? VERSION : read(state, route, url.searchParams);
  if (route.answer) assertIs(route.answer, body);
  send(response, 200, body);
}

const VERSION = {
  major: '1',
  minor: '35',
  gitVersion: 'v1.35.3',
  gitCommit: 'abc',
  gitTreeState: 'clean',
  buildDate: '2026-03-18T00:00:00Z',
  goVersion: 'go1.25.7',
  compiler: 'gc',
  platform: 'linux/amd64',
};

function read({ objects, forbidden, ...state }: State, route: Route, query: URLSearchParams): unknown {
  const { namespace, name } = route.variables;
  const resource = route.path.split('/').at(name === undefined ? -1 : -2)!;
  if (forbidden.has(resource)) {
    const scope = namespace === undefined ? 'at the cluster scope' : `in the namespace "${namespace}"`;
    throw new Refusal(
      403,
      'Forbidden',
      `${resource} is forbidden: User "system:serviceaccount:casebook:casebook-satellite" cannot list resource "${resource}" in API group "" ${scope}`,
    );
  }
  const there = (objects[resource] ?? []).filter(
    ({ metadata }) => namespace === undefined || metadata.namespace === namespace,
  );
  if (name !== undefined) {
    const found = there.find(({ metadata }) => metadata.name === name);
    if (!found) throw new Refusal(404, 'NotFound', `${resource} "${name}" not found`);
    return found;
  }
  const unsupported = (label: string): Refusal => new Refusal(400, 'BadRequest', `field label not supported: ${label}`);
  const selected = there.filter((one) =>
    matchesSelectors(one, query.get('labelSelector'), query.get('fieldSelector'), unsupported),
  );
  return page(state.expireNextContinue, selected, query, route);
}

/** A continue token is an offset here; `expired:` ones are answered with 410 and a fresh one, as after compaction. */
function page(expire: boolean, selected: KubernetesObject[], query: URLSearchParams, route: Route): unknown {
  const token = query.get('continue');
  if (token !== null && expire && !token.startsWith('fresh:'))
    throw new Refusal(410, 'Expired', 'The provided continue parameter is too old', `fresh:${token}`);
  const start = Number(token?.replace('fresh:', '') ?? 0);
  const limit = Number(query.get('limit') ?? selected.length);
  const end = start + limit;
  const more = end < selected.length ? { continue: String(end), remainingItemCount: selected.length - end } : {};
  const kind = route.answer!.split('.').at(-1)!;
  const apiVersion = route.path.startsWith('/api/') ? 'v1' : route.path.split('/').slice(2, 4).join('/');
  return { kind, apiVersion, metadata: { resourceVersion: '1000', ...more }, items: selected.slice(start, end) };
}

function sendLog(state: State, { variables }: Route, query: URLSearchParams, response: ServerResponse): void {
  const { namespace = '', name = '' } = variables;
  if (state.forbidden.has('pods/log'))
    throw new Refusal(403, 'Forbidden', `pods "${name}" is forbidden: cannot get resource "pods/log"`);
  const pod = state.objects['pods']?.find(({ metadata }) => metadata.name === name && metadata.namespace === namespace);
  if (!pod) throw new Refusal(404, 'NotFound', `pods "${name}" not found`);
  const containers = (pod['spec'] as { containers: { name: string }[] }).containers.map((one) => one.name);
  const container = query.get('container') ?? (containers.length === 1 ? containers[0] : undefined);
  // The real server answers this with 400 as well; it is no fault of the request's form.
  if (container === undefined)
    return send(
      response,
      400,
      statusObject(
        400,
        'BadRequest',
        `a container name must be specified for pod ${name}, choose one of: [${containers.join(' ')}]`,
      ),
    );
  const key = [namespace, name, container, ...(query.get('previous') === 'true' ? ['previous'] : [])].join('/');
  const lines = (state.logs[key] ?? []).slice(-Number(query.get('tailLines') ?? Infinity));
  const text = lines
    .map((line) => (query.get('timestamps') === 'true' ? `2026-01-01T00:00:00.000000000Z ${line}\n` : `${line}\n`))
    .join('');
  const bytes = Buffer.from(text).subarray(0, Number(query.get('limitBytes') ?? Infinity));
  response.writeHead(200, { 'content-type': 'text/plain' });
  for (let at = 0; at < bytes.length; at += 1000) response.write(bytes.subarray(at, at + 1000));
  response.end();
}

function send(response: ServerResponse, code: number, body: unknown): void {
  response.writeHead(code, { 'content-type': 'application/json' });
  response.end(JSON.stringify(body));
}
