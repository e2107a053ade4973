import { endpointFor } from '../../../http/endpoint.ts';
import type { IntegrationDeps } from '../deps.ts';
import { IntegrationListResponse } from '../schemas/shared.ts';
import { listIntegrations, presentAll, reading, tags } from './shared.ts';

export const list = endpointFor<IntegrationDeps>()({
  method: 'get',
  path: '/api/integrations',
  operationId: 'listIntegrations',
  summary: "List the team's integrations with their health and tools",
  tags,
  auth: reading,
  response: IntegrationListResponse,
  handler: async ({ em, deps: { integrations } }) => ({
    integrations: await presentAll(integrations, em, await listIntegrations(em)),
  }),
});
