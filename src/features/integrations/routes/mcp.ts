/** Remote MCP servers: with headers, or with the consent that the server asks for. */
import { discoverAuthorization, registerAt } from '@casebook/mcp';
import { QueryError } from '@casebook/connectors';
import { endpointFor } from '../../../http/endpoint.ts';
import type { EntityManager } from '../../../db/orm.ts';
import type { Target } from '../connections.ts';
import { InvalidRequest } from '../../../http/errors.ts';
import type { IntegrationDeps } from '../deps.ts';
import { SecretError } from '../../../platform/secrets.ts';
import { decisionsIn, withDecisions } from '../decisions.ts';
import { nameTaken } from '../errors.ts';
import type { Settings } from '../families.ts';
import { serverOf } from '../oauth/authorization.ts';
import { beginConsent } from '../oauth/begin.ts';
import { exchange } from '../oauth/exchange.ts';
import { take } from '../oauth/flow.ts';
import { presentTest } from '../presenter.ts';
import * as schemas from '../schemas/mcp.ts';
import { IntegrationParams } from '../schemas/shared.ts';
import { CallbackRequest } from '../schemas/vendors.ts';
import { queryIn, splitUrl } from '../mcp-url.ts';
import { HEADER } from '../servers.ts';
import { connect, draftOf, mayReplace, remove, testStored, toggle, update, type Settle } from '../service.ts';
import { Integration } from '../entities.ts';
import type { Secrets } from '../vault.ts';
import { present, serviceDeps, tags, writing } from './shared.ts';

const endpoint = endpointFor<IntegrationDeps>();
const family = 'mcp';
const path = '/api/integrations/mcp';

const secretsOf = (headers: Readonly<Record<string, string>> = {}): Secrets =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [HEADER + name.toLowerCase(), value]));

/** The new headers in place of the old ones. */
const withHeaders = (secrets: Secrets, headers: Readonly<Record<string, string>>): Secrets => ({
  ...Object.fromEntries(Object.entries(secrets).filter(([name]) => !name.startsWith(HEADER))),
  ...secretsOf(headers),
});

/** None if they cannot be opened, as `error` then says. */
function secretsIn({ opened }: IntegrationDeps['integrations'], row: Integration): Secrets {
  try {
    return opened(row).secrets;
  } catch (error) {
    if (error instanceof SecretError) return {};
    throw error;
  }
}

/** The same server again: what the team has decided about its tools stays. */
const keepDecisions: Settle = (_test, earlier) => ({ settings: { ...(earlier && decisionsIn(earlier)) } });

async function shown({ integrations }: IntegrationDeps, em: EntityManager, row: Integration) {
  const base = await present(integrations, em, row);
  const secrets = secretsIn(integrations, row);
  const names = Object.keys(secrets).flatMap((name) => (name.startsWith(HEADER) ? name.slice(HEADER.length) : []));
  return { ...base, url: String(row.settings['url']), header_names: names };
}

const connected = (integration: Awaited<ReturnType<typeof shown>>) => ({
  status: 'connected' as const,
  authorization_url: null,
  state: null,
  error: null,
  integration,
});

export const mcp = [
  endpoint({
    method: 'post',
    path,
    operationId: 'connectMcpServer',
    summary: 'Connect a remote MCP server',
    description:
      'Its read-only tools are offered to runs at once. A server that wants consent is answered with the address where a person gives it; nothing is stored before `callback` brings the code.',
    tags,
    auth: writing,
    body: schemas.McpIntegrationCreateRequest,
    response: schemas.McpConnectResponse,
    errors: [409, 503],
    handler: async ({ em, body, principal, deps, signal }) => {
      const { name, headers, client_id, client_secret } = body;
      const { url, secrets: given } = splitUrl(body.url);
      const { integrations } = deps;
      const { servers, outbound, appUrl } = integrations;
      const problem = outbound.urlProblem(body.url);
      if (problem !== undefined) throw InvalidRequest.at(['body', 'url'], `Value error, ${problem}`);
      const named = draftOf(principal.teamId, { family, name, settings: { url }, secrets: {} });
      const earlier = await em.fork().findOne(Integration, { slug: named.slug });
      if (earlier && !mayReplace(earlier, named)) throw nameTaken(name);
      const kept = earlier?.settings['url'] === url ? queryIn(secretsIn(integrations, earlier)) : {};
      const query = { ...kept, ...given };
      const wanted = { family, name, settings: { url }, secrets: { ...query, ...secretsOf(headers) } } as const;
      const draft = { ...named, secrets: wanted.secrets };
      const unauthorized = headers
        ? undefined
        : (await servers.test(draft, AbortSignal.any([signal, AbortSignal.timeout(20_000)]))).unauthorized;
      if (!unauthorized) {
        const row = await connect(serviceDeps(deps), em, principal, wanted, signal, keepDecisions);
        return connected(await shown(deps, em, row));
      }
      try {
        const authorization = await discoverAuthorization(url, unauthorized.challenge, (at, init) =>
          fetchOver(integrations, at, init),
        );
        const redirectUri = `${appUrl}/integrations/callback`;
        const client =
          client_id === undefined
            ? await registerAt(authorization, redirectUri, (at, init) => fetchOver(integrations, at, init))
            : { client_id, ...(client_secret !== undefined && { client_secret }) };
        const { scope, resource } = authorization;
        const server = serverOf(authorization);
        const waiting = {
          family,
          name,
          settings: { url, authorization: { ...server, resource } },
          secrets: query,
        } as const;
        const parameters = { resource, ...(scope !== undefined && { scope }) };
        const consent = await beginConsent(deps, em, principal, waiting, { server, client, redirectUri, parameters });
        return {
          status: 'authorize' as const,
          authorization_url: consent.url,
          state: consent.state,
          error: null,
          integration: null,
        };
      } catch (error) {
        if (error instanceof QueryError) throw InvalidRequest.at(['body', 'headers'], `Value error, ${error.message}`);
        throw error;
      }
    },
  }),
  endpoint({
    method: 'post',
    path: `${path}/callback`,
    operationId: 'finishMcpServer',
    summary: 'Finish connecting an MCP server with the code that the browser brought back',
    tags,
    auth: writing,
    body: CallbackRequest,
    response: schemas.McpConnectResponse,
    errors: [409, 503],
    handler: async ({ em, body: { code, state, iss }, principal, deps, signal }) => {
      const { vault } = deps.integrations;
      const { row: waiting, pending } = await take({ clock: deps.clock, vault }, em.fork(), principal, {
        family,
        state,
      });
      const secrets = await exchange(deps, em, waiting, pending, { code, iss });
      const { name, slug } = waiting;
      const wanted = { family, name, slug, settings: pending.settings, secrets } as const;
      const row = await connect(serviceDeps(deps), em, principal, wanted, signal, keepDecisions);
      return connected(await shown(deps, em, row));
    },
  }),
  endpoint({
    method: 'put',
    path: `${path}/{integration_id}`,
    operationId: 'updateMcpServer',
    summary: 'Change a connected MCP server: its headers, and which of its tools runs may use',
    tags,
    auth: writing,
    params: IntegrationParams,
    body: schemas.McpIntegrationUpdateRequest,
    response: schemas.McpIntegrationResponse,
    errors: [404, 409, 503],
    handler: async ({ em, params, body, principal, deps, signal }) => {
      const { name, headers, tools } = body;
      const changes = {
        ...(name !== undefined && { name }),
        ...(tools && { settings: (current: Settings) => withDecisions(current, tools) }),
        ...(headers && {
          reach: (current: Target) => ({ ...current, secrets: withHeaders(current.secrets, headers) }),
        }),
      };
      const row = await update(serviceDeps(deps), em, principal, family, params.integration_id, changes, signal);
      return shown(deps, em, row);
    },
  }),
  endpoint({
    method: 'delete',
    path: `${path}/{integration_id}`,
    operationId: 'removeMcpServer',
    summary: 'Remove an MCP server and its credential',
    tags,
    auth: writing,
    params: IntegrationParams,
    response: schemas.McpRemoveResponse,
    errors: [404],
    handler: async ({ em, params, principal, deps }) => {
      await remove(serviceDeps(deps), em, principal, family, params.integration_id);
      return { id: params.integration_id, removed: true as const };
    },
  }),
  endpoint({
    method: 'post',
    path: `${path}/{integration_id}/test`,
    operationId: 'testMcpServer',
    summary: 'Test a connected MCP server now, and list its tools again',
    tags,
    auth: writing,
    params: IntegrationParams,
    response: schemas.McpTestResponse,
    errors: [404],
    handler: async ({ em, params, deps, signal }) =>
      presentTest(family, await testStored(serviceDeps(deps), em, family, params.integration_id, signal)),
  }),
  endpoint({
    method: 'post',
    path: `${path}/{integration_id}/toggle`,
    operationId: 'toggleMcpServer',
    summary: 'Turn a connected MCP server off or on',
    tags,
    auth: writing,
    params: IntegrationParams,
    body: schemas.McpToggleRequest,
    response: schemas.McpIntegrationResponse,
    errors: [404],
    handler: async ({ em, params, body, principal, deps }) =>
      shown(deps, em, await toggle(deps, em, principal, family, params.integration_id, body.enabled)),
  }),
];

/** A fetch for libraries, through the outbound guard. */
function fetchOver(
  { outbound }: IntegrationDeps['integrations'],
  url: string | URL,
  init: RequestInit = {},
): Promise<Response> {
  const { method, headers, body, signal } = init;
  return outbound.fetch(url, {
    ...(method !== undefined && { method }),
    headers: Object.fromEntries(new Headers(headers)),
    ...(typeof body === 'string' && { body }),
    ...(signal && { signal }),
  });
}
