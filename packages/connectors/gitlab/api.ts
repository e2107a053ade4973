/** GitLab's REST API through its client for JavaScript, which here neither waits nor retries. */
import { createHostHttp, throughClient, type HostHttp } from '../shared/code-host/http.ts';
import { CodeHostError, type HostCall } from '../shared/code-host/port.ts';
import type { RequesterType } from '@gitbeaker/requester-utils';
import type { Network } from '../connector.ts';
import type { GitLabConfig } from './config.ts';

/** Loaded with the first call: it is large. */
const load = () => import('@gitbeaker/rest');
type Client = Awaited<ReturnType<typeof load>>;

/** The client's parts that are used. */
const RESOURCES = [
  'Branches',
  'Deployments',
  'Jobs',
  'MergeRequestApprovals',
  'MergeRequestNotes',
  'MergeRequests',
  'Metadata',
  'Pipelines',
  'ProjectHooks',
  'ProjectReleases',
  'Projects',
  'RepositoryFiles',
  'Users',
] as const satisfies readonly (keyof Client)[];
export type Resources = { [Name in (typeof RESOURCES)[number]]: InstanceType<Client[Name]> };

/** The most that one page has. */
export const PER_PAGE = 100;

export interface GitLabApi {
  /** The host, for people. */
  place: string;
  /** @throws {CodeHostError}, or the signal's reason */
  ask(work: (gitlab: Resources) => Promise<unknown>, call: HostCall): Promise<unknown>;
  /** A GET outside the API, such as `oauth/token/info`. @throws {CodeHostError}, or the signal's reason */
  read(path: string, call: HostCall): Promise<unknown>;
  tail: (path: string, options: { maxBytes: number } & HostCall) => ReturnType<HostHttp['tail']>;
}

export function openGitLabApi(config: GitLabConfig, network: Network | undefined, now: () => number): GitLabApi {
  const { token, tls } = config;
  const url = config.url.replace(/\/+$/u, '');
  const http = createHostHttp({ name: 'GitLab', url, network, tls, now });
  const authorization = `Bearer ${token}`;
  return {
    place: http.place,
    async ask(work, { signal }) {
      const client = await load();
      const requesterFn = ({ url: base }: { url: string }) => requesterOver(http, base, authorization, signal);
      const options = { host: url, oauthToken: token, queryTimeout: null, requesterFn };
      const resources = Object.fromEntries(RESOURCES.map((name) => [name, new client[name](options)]));
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- made of the same list
      return throughClient(() => work(resources as unknown as Resources), { signal });
    },
    async read(path, { signal }) {
      const answer = await http.fetch(`${url}/${path}`, { headers: { authorization }, signal });
      return answer.json();
    },
    tail: (path, { maxBytes, signal }) =>
      http.tail(`${url}/api/v4/${path}`, { headers: { authorization }, maxBytes, signal }),
  };
}

type Sent = Parameters<RequesterType['post']>[1];

/** How the client's requests are sent. The names in them are the API's, in snake case; what they name is left alone. */
function requesterOver(http: HostHttp, base: string, authorization: string, signal: AbortSignal): RequesterType {
  const send =
    (method: string): RequesterType['get'] =>
    async (endpoint: string, { body, searchParams = {} }: NonNullable<Sent> = {}) => {
      const url = new URL(`${base.replace(/\/+$/u, '')}/${endpoint}`);
      for (const [name, value] of Object.entries(inSnakeCase(searchParams))) url.searchParams.set(name, String(value));
      const content = body === undefined || body instanceof FormData ? {} : inSnakeCase(body);
      const hasBody = method !== 'GET' && Object.keys(content).length > 0;
      const answer = await http.fetch(url, {
        method,
        headers: { authorization, ...(hasBody && { 'content-type': 'application/json' }) },
        ...(hasBody && { body: JSON.stringify(content) }),
        signal,
      });
      const text = await answer.text();
      const isJson = answer.headers.get('content-type')?.startsWith('application/json') === true;
      const headers = Object.fromEntries(answer.headers);
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- what it holds is parsed by whoever asked
      return { status: answer.status, headers, body: (isJson ? parse(text, http.place) : text) as never };
    };
  return { get: send('GET'), post: send('POST'), put: send('PUT'), patch: send('PATCH'), delete: send('DELETE') };
}

const inSnakeCase = (fields: Record<string, unknown>): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(fields)
      .filter(([, value]) => value !== undefined)
      .map(([name, value]) => [name.replaceAll(/[A-Z]/gu, (letter) => `_${letter.toLowerCase()}`), value]),
  );

function parse(text: string, place: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new CodeHostError('unavailable', `${place} answered with something that is not JSON`, { cause: error });
  }
}
