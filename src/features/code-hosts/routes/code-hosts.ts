/** GitHub and Gitea, of which a team may have several; and the list of all code hosts. */
import type { z } from 'zod';
import type { EntityManager } from '../../../db/orm.ts';
import { apiKey, type Principal } from '../../../http/authenticate.ts';
import { endpointFor } from '../../../http/endpoint.ts';
import { InvalidRequest } from '../../../http/errors.ts';
import { CODE_HOST_FAMILIES, connect, Integration, integrationSchemas, remove } from '../../integrations/index.ts';
import type { CodeHostDeps } from '../deps.ts';
import type { Repository } from '../entities.ts';
import { removeRepositories } from '../listing.ts';
import { presentHosts, presentRepository, presentWebhook } from '../presenter.ts';
import * as schemas from '../schemas.ts';
import { findHost, listFirst } from '../service.ts';

const endpoint = endpointFor<CodeHostDeps>();
export const tags = ['Code hosts'];
export const reading = apiKey('code-hosts:read');
export const writing = apiKey('code-hosts:write');

const DESCRIPTION =
  'It is tested before it is stored: a setting that it refuses is a 422 that names the field, and no answer a 503. Its repositories are listed and their webhooks registered, if the host can reach this installation; otherwise the answer shows what to set up by hand, once. Repeating the request changes nothing; with another credential it replaces the old one.';

/** What a request that has connected a host answers. */
export async function presentConnected(
  { integrations, codeHostListings }: CodeHostDeps,
  em: EntityManager,
  row: Integration,
  signal: AbortSignal,
): Promise<z.input<typeof schemas.CodeHostConnectResponse>> {
  const listed = await listFirst(codeHostListings, em.fork(), row, signal);
  const [host] = await presentHosts(integrations, em.fork(), [row]);
  return { code_host: host!, webhook: presentWebhook(codeHostListings.webhookOf(row), listed) };
}

/** Without what the request leaves out. */
const given = (fields: Record<string, string | undefined>): Record<string, string> =>
  Object.fromEntries(Object.entries(fields).filter((field): field is [string, string] => field[1] !== undefined));

async function connected(
  { em, principal, deps, signal }: { em: EntityManager; principal: Principal; deps: CodeHostDeps; signal: AbortSignal },
  wanted: Parameters<typeof connect>[3],
) {
  const { url } = wanted.settings;
  const problem = typeof url === 'string' ? deps.integrations.outbound.urlProblem(url) : undefined;
  if (problem !== undefined) throw InvalidRequest.at(['body', 'url'], `Value error, ${problem}`, url);
  const row = await connect(deps.integrations.service, em, principal, wanted, signal);
  return presentConnected(deps, em, row, signal);
}

export const codeHosts = [
  endpoint({
    method: 'get',
    path: '/api/code-hosts',
    operationId: 'listCodeHosts',
    summary: "List the team's code hosts with their health and repositories",
    tags,
    auth: reading,
    response: schemas.CodeHostListResponse,
    handler: async ({ em, deps: { integrations } }) => {
      const where = { family: { $in: [...CODE_HOST_FAMILIES] }, status: { $ne: 'pending' as const } };
      const rows = await em.find(Integration, where, { orderBy: { slug: 'asc' } });
      return { code_hosts: await presentHosts(integrations, em, rows) };
    },
  }),
  endpoint({
    method: 'post',
    path: '/api/code-hosts/github',
    operationId: 'connectGitHub',
    summary: 'Connect GitHub with a token or the installation of a GitHub App',
    description: DESCRIPTION,
    tags,
    auth: writing,
    body: schemas.CodeHostGitHubRequest,
    response: schemas.CodeHostConnectResponse,
    errors: [409, 503],
    handler: async (call) => {
      const { name, url, app_id, installation_id, token, private_key } = call.body;
      const settings = given({ url, app_id, installation_id });
      return connected(call, { family: 'github', name, settings, secrets: given({ token, private_key }) });
    },
  }),
  endpoint({
    method: 'post',
    path: '/api/code-hosts/gitea',
    operationId: 'connectGitea',
    summary: 'Connect a Gitea or Forgejo with a token',
    description: DESCRIPTION,
    tags,
    auth: writing,
    body: schemas.CodeHostGiteaRequest,
    response: schemas.CodeHostConnectResponse,
    errors: [409, 503],
    handler: async (call) => {
      const { name, url, token } = call.body;
      return connected(call, { family: 'gitea', name, settings: { url }, secrets: { token } });
    },
  }),
  endpoint({
    method: 'delete',
    path: '/api/code-hosts/{integration_id}',
    operationId: 'removeCodeHost',
    summary: 'Remove a code host, its credential, its webhooks and mirrors',
    description: 'The credential is revoked at the host too, if it came with consent.',
    tags,
    auth: writing,
    params: integrationSchemas.IntegrationParams,
    response: schemas.CodeHostRemoveResponse,
    errors: [404],
    handler: async ({ em, params: { integration_id: id }, principal, deps }) => {
      const { family } = await findHost(em.fork(), id);
      const { integrations, codeHostListings } = deps;
      await remove(integrations.service, em, principal, family, id, removeRepositories(codeHostListings));
      return { id, removed: true as const };
    },
  }),
  endpoint({
    method: 'get',
    path: '/api/code-hosts/repositories',
    operationId: 'listRepositories',
    summary: "List the repositories of the team's code hosts, with the state of their mirrors",
    tags,
    auth: reading,
    query: schemas.RepositoryListQuery,
    response: schemas.RepositoryListResponse,
    handler: async ({ em, principal: { teamId }, query: { page, count }, deps: { codeHosts, workspaces } }) => {
      const mounts = await workspaces.forTeam(teamId).mounts();
      const present = (one: Repository) => presentRepository(one, codeHosts.mirrorOf(one), mounts);
      const all = await codeHosts.list(em);
      const repositories = all.slice((page - 1) * count, page * count).map(present);
      return { repositories, page, count, total: all.length };
    },
  }),
];
