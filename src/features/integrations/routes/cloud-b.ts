/** Google Cloud under two prefixes: with a person's consent, or with a service account. */
import { QueryError, type ConnectionTest } from '@casebook/connectors';
import type { EntityManager } from '../../../db/orm.ts';
import type { Principal } from '../../../http/authenticate.ts';
import { endpointFor, type Endpoint } from '../../../http/endpoint.ts';
import { InvalidRequest } from '../../../http/errors.ts';
import { SecretError } from '../../../platform/secrets.ts';
import type { IntegrationDeps } from '../deps.ts';
import type { Target } from '../connections.ts';
import type { FamilyName, Integration } from '../entities.ts';
import { beginConsent } from '../oauth/begin.ts';
import { exchange } from '../oauth/exchange.ts';
import { assertBelow, take } from '../oauth/flow.ts';
import { GOOGLE_CONSENT, googleServer, projectsOf } from '../oauth/google.ts';
import { ConnectResponse, StatusResponse } from '../schemas/shared.ts';
import {
  CallbackRequest,
  CallbackResponse,
  ConnectRequest,
  SAConnectRequest,
  SAConnectResponse,
} from '../schemas/vendors.ts';
import { connect, findOnly, update, type IntegrationServiceDeps, type Settle } from '../service.ts';
import { presentConnected, statusAndRemoval } from './only.ts';
import { serviceDeps, tags, writing } from './shared.ts';

const endpoint = endpointFor<IntegrationDeps>();

/**
 * The project that a connection is for, where the request names none: the one it was for until now, or the only one.
 * @param projects what the account sees; none if they cannot be listed
 */
function projectAmong(projects: readonly { id: string }[], { settings: { project_id: before } }: Integration): unknown {
  const isListed = projects.some(({ id }) => id === before);
  return before !== undefined && (isListed || projects.length === 0) ? before : onlyOne(projects)?.id;
}

const onlyOne = <Item>(items: readonly Item[]): Item | undefined => (items.length === 1 ? items[0] : undefined);

/** The project of a consent that was given without one. @returns undefined where there is none to be completed */
async function chooseProject(
  deps: IntegrationDeps,
  em: EntityManager,
  principal: Principal,
  { family, name, project_id }: { family: FamilyName; name: string; project_id: string },
  signal: AbortSignal,
): Promise<Integration | undefined> {
  const service = serviceDeps(deps);
  const row = await findOnly(em.fork(), family, name);
  if (row?.status !== 'select_account') return undefined;
  try {
    await service.fresh(row);
  } catch (error) {
    // It was revoked meanwhile: consent is asked for again.
    if (error instanceof QueryError || error instanceof SecretError) return undefined;
    throw error;
  }
  const reach = (current: Target) => ({ ...current, settings: { ...current.settings, project_id } });
  return update(service, em, principal, family, row.id, { reach }, signal);
}

const toBeChosen: Settle = () => ({ status: 'select_account' });

/** Without a project there is nothing to test but that the token has been given. */
const withProbe = (
  service: IntegrationServiceDeps,
  resources: ConnectionTest['resources'],
): IntegrationServiceDeps => ({
  ...service,
  probe: async () => ({ test: { status: 'ok', message: '', latencyMs: 0, warnings: [], resources }, tools: null }),
});

/** SAStatusResponse has the members of StatusResponse. */
const SAStatusResponse = StatusResponse.extend({}).meta({ id: 'SAStatusResponse' });

function googleEndpoints(family: Extract<FamilyName, 'cloud-b' | 'cloud-b-official'>): Endpoint<IntegrationDeps>[] {
  const id = family === 'cloud-b' ? 'GoogleCloud' : 'GoogleCloudOfficial';
  const name = family === 'cloud-b' ? 'google-cloud' : 'google-cloud-official';
  const sa = `${name}-service-account`;
  const prefix = `/api/onboarding/${family}`;
  return [
    endpoint({
      method: 'post',
      path: `${prefix}/connect`,
      operationId: `connect${id}`,
      summary: 'Begin to connect Google Cloud with the consent of a person',
      description:
        'Nothing is stored before `callback` brings the code. If that answers `select_account`, the same request with a `project_id` chooses the project, without another consent.',
      tags,
      auth: writing,
      body: ConnectRequest,
      response: ConnectResponse,
      errors: [409, 503],
      handler: async ({ em, body, principal, deps, signal }) => {
        const { project_id, client_id, client_secret, redirect_uri } = body;
        const { integrations } = deps;
        const { settings: house, appUrl } = integrations;
        if (project_id !== undefined && client_id === undefined) {
          const chosen = await chooseProject(deps, em, principal, { family, name, project_id }, signal);
          if (chosen) return presentConnected(integrations, em, chosen);
        }
        const own = house.googleClient;
        const client =
          client_id === undefined
            ? own && { client_id: own.id, client_secret: own.secret }
            : { client_id, client_secret };
        if (!client)
          throw InvalidRequest.at(
            ['body', 'client_id'],
            'Value error, this installation has no OAuth client of its own at Google (GOOGLE_CLIENT_ID); give yours',
          );
        const redirectUri = redirect_uri ?? `${appUrl}/integrations/callback`;
        assertBelow(appUrl, redirectUri);
        const wanted = { family, name, settings: project_id === undefined ? {} : { project_id }, secrets: {} };
        const asked = { server: googleServer(house), client, redirectUri, parameters: GOOGLE_CONSENT };
        const consent = await beginConsent(deps, em, principal, wanted, asked);
        return {
          status: 'authorize' as const,
          authorization_url: consent.url,
          state: consent.state,
          error: null,
          integration: null,
        };
      },
    }),
    endpoint({
      method: 'post',
      path: `${prefix}/callback`,
      operationId: `finish${id}`,
      summary: 'Finish connecting Google Cloud with the code that the browser brought back',
      tags,
      auth: writing,
      body: CallbackRequest,
      response: CallbackResponse,
      errors: [503],
      handler: async ({ em, body: { code, state, iss }, principal, deps, signal }) => {
        const { settings: house, vendorOutbound, vault } = deps.integrations;
        const { row: waiting, pending } = await take({ clock: deps.clock, vault }, em.fork(), principal, {
          family,
          state,
        });
        const secrets = await exchange(deps, em, waiting, pending, { code, iss });
        const service = serviceDeps(deps);
        const named = pending.settings['project_id'];
        const resources =
          named === undefined ? await projectsOf(house, String(secrets['access_token']), vendorOutbound) : [];
        const project_id = named ?? projectAmong(resources, waiting);
        const settings = project_id === undefined ? {} : { project_id };
        const wanted = { family, name, settings, secrets };
        const row =
          project_id === undefined
            ? await connect(withProbe(service, resources), em, principal, wanted, signal, toBeChosen)
            : await connect(service, em, principal, wanted, signal);
        return presentConnected(deps.integrations, em, row);
      },
    }),
    ...statusAndRemoval({ family, slug: name, id, prefix }),
    endpoint({
      method: 'post',
      path: `${prefix}/sa/connect`,
      operationId: `connect${id}ServiceAccount`,
      summary: 'Connect Google Cloud with a service account',
      tags,
      auth: writing,
      body: SAConnectRequest,
      response: SAConnectResponse,
      errors: [503],
      handler: async ({ em, body, principal, deps, signal }) => {
        const { service_account: account, project_id = account.project_id } = body;
        if (project_id === undefined)
          throw InvalidRequest.at(['body', 'project_id'], 'Value error, the key names no project');
        const settings = { project_id, client_email: account.client_email };
        const wanted = { family, name: sa, settings, secrets: { service_account: JSON.stringify(account) } };
        const row = await connect(serviceDeps(deps), em, principal, wanted, signal);
        return presentConnected(deps.integrations, em, row);
      },
    }),
    ...statusAndRemoval({
      family,
      slug: sa,
      id: `${id}ServiceAccount`,
      prefix: `${prefix}/sa`,
      status: SAStatusResponse,
    }),
  ];
}

export const cloudB = [...googleEndpoints('cloud-b'), ...googleEndpoints('cloud-b-official')];
