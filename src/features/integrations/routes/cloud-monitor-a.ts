/** Azure Monitor. */
import { endpointFor } from '../../../http/endpoint.ts';
import { InvalidRequest } from '../../../http/errors.ts';
import type { IntegrationDeps } from '../deps.ts';
import { ConnectResponse } from '../schemas/shared.ts';
import { AzureMonitorConnectRequest } from '../schemas/vendors.ts';
import { connect } from '../service.ts';
import type { Secrets } from '../vault.ts';
import { presentConnected, statusAndRemoval } from './only.ts';
import { serviceDeps, tags, writing } from './shared.ts';

const family = 'cloud-monitor-a';
const name = 'azure-monitor';
const prefix = '/api/onboarding/cloud-monitor-a';

const connectAzure = endpointFor<IntegrationDeps>()({
  method: 'post',
  path: `${prefix}/connect`,
  operationId: 'connectAzureMonitor',
  summary: 'Connect an Azure subscription',
  description:
    "Without a service principal the installation's own is used, if its operator has configured one and the subscription lets it read.",
  tags,
  auth: writing,
  body: AzureMonitorConnectRequest,
  response: ConnectResponse,
  errors: [503],
  handler: async ({ em, body, principal, deps, signal }) => {
    const { client_secret, ...settings } = body;
    if (client_secret === undefined && !deps.integrations.settings.vendors.azureClient)
      throw InvalidRequest.at(
        ['body', 'client_id'],
        'Value error, this installation has no service principal of its own (AZURE_CLIENT_ID); give yours',
      );
    const given = Object.fromEntries(Object.entries(settings).filter(([, value]) => value !== undefined));
    const secrets: Secrets = client_secret === undefined ? {} : { client_secret };
    const wanted = { family, name, settings: given, secrets } as const;
    const row = await connect(serviceDeps(deps), em, principal, wanted, signal);
    return presentConnected(deps.integrations, em, row);
  },
});

export const cloudMonitorA = [connectAzure, ...statusAndRemoval({ family, slug: name, id: 'AzureMonitor', prefix })];
