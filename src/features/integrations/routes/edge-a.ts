/** Cloudflare. */
import { endpointFor } from '../../../http/endpoint.ts';
import { InvalidRequest } from '../../../http/errors.ts';
import type { IntegrationDeps } from '../deps.ts';
import { ConnectResponse } from '../schemas/shared.ts';
import { EdgeConnectRequest } from '../schemas/vendors.ts';
import { connect } from '../service.ts';
import { presentConnected, statusAndRemoval } from './only.ts';
import { serviceDeps, tags, writing } from './shared.ts';

const family = 'edge-a';
const name = 'cloudflare';
const prefix = '/api/onboarding/edge-a';

const connectCloudflare = endpointFor<IntegrationDeps>()({
  method: 'post',
  path: `${prefix}/connect`,
  operationId: 'connectCloudflare',
  summary: 'Connect Cloudflare with an API token',
  tags,
  auth: writing,
  body: EdgeConnectRequest,
  response: ConnectResponse,
  errors: [503],
  handler: async ({ em, body, principal, deps, signal }) => {
    const { api_token, account_id } = body;
    const settings = account_id === undefined ? {} : { account_id };
    const wanted = { family, name, settings, secrets: { api_token } } as const;
    const row = await connect(serviceDeps(deps), em, principal, wanted, signal, ({ resources }) => {
      if (account_id !== undefined || resources.length === 0) return {};
      const [only, ...others] = resources;
      if (others.length === 0) return { settings: { account_id: only!.id } };
      const list = resources.map((one) => `${one.name} (${one.id})`).join(', ');
      throw InvalidRequest.at(
        ['body', 'account_id'],
        `Value error, the token sees several accounts; choose one of ${list}`,
      );
    });
    return presentConnected(deps.integrations, em, row);
  },
});

export const edgeA = [connectCloudflare, ...statusAndRemoval({ family, slug: name, id: 'Cloudflare', prefix })];
