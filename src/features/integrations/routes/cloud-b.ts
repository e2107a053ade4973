/** Google Cloud under two prefixes: with a person's consent, or with a service account. */
import { endpointFor, type Endpoint } from '../../../http/endpoint.ts';
import { InvalidRequest } from '../../../http/errors.ts';
import type { IntegrationDeps } from '../deps.ts';
import type { FamilyName } from '../entities.ts';
import { clientOf } from '../oauth/authorization.ts';
import { askConsent } from '../oauth/client.ts';
import { assertBelow, exchange, keep, take } from '../oauth/flow.ts';
import { GOOGLE_CONSENT, googleServer, projectsOf } from '../oauth/google.ts';
import { ConnectResponse, StatusResponse } from '../schemas/shared.ts';
import {
  CallbackRequest,
  CallbackResponse,
  ConnectRequest,
  SAConnectRequest,
  SAConnectResponse,
} from '../schemas/vendors.ts';
import { connect, draftOf } from '../service.ts';
import { presentConnected, statusAndRemoval } from './only.ts';
import { serviceDeps, tags, writing } from './shared.ts';

const endpoint = endpointFor<IntegrationDeps>();

/** Where a project was not named, the only one that the account sees. @throws {InvalidRequest} unless there is one */
function onlyProject(projects: readonly string[]): string {
  const [only, ...others] = projects;
  if (only !== undefined && others.length === 0) return only;
  const message =
    only === undefined
      ? 'name the project: the ones that you see cannot be listed'
      : `you see several projects; name one of ${projects.join(', ')}`;
  throw InvalidRequest.at(['body', 'project_id'], `Value error, ${message}`);
}

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
      description: 'Nothing is stored before `callback` brings the code.',
      tags,
      auth: writing,
      body: ConnectRequest,
      response: ConnectResponse,
      handler: async ({ em, body, principal, deps: { integrations, clock } }) => {
        const { project_id, client_id, client_secret, redirect_uri } = body;
        const { settings: house, vendorOutbound, vault, appUrl } = integrations;
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
        const consent = await askConsent(
          googleServer(house),
          client,
          { ...GOOGLE_CONSENT, redirect_uri: redirectUri },
          vendorOutbound,
        );
        const settings = project_id === undefined ? {} : { project_id };
        const secrets = {
          client_id: client.client_id,
          ...(client.client_secret !== undefined && { client_secret: client.client_secret }),
        };
        const draft = draftOf(principal.teamId, { family, name, settings, secrets });
        await keep({ clock, vault }, em, principal, draft, { name, redirectUri, consent });
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
        const { pending } = await take({ clock: deps.clock, vault }, em.fork(), principal, { family, state });
        const { verifier, redirectUri, settings, secrets } = pending;
        const client = clientOf(secrets);
        const tokens = await exchange(
          googleServer(house),
          client,
          { code, verifier, redirectUri, iss },
          {},
          vendorOutbound,
        );
        const project_id =
          settings['project_id'] ?? onlyProject(await projectsOf(house, tokens.access_token, vendorOutbound));
        const wanted = { family, name, settings: { project_id }, secrets: { ...secrets, ...tokens } };
        const row = await connect(serviceDeps(deps), em, principal, wanted, signal);
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
