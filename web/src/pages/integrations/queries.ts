import { queryOptions } from '@tanstack/react-query';
import { api, dataOf, type Schema } from '../../api/client.ts';
import { pollMs } from '../../api/polling.ts';

export type Integration = Schema<'IntegrationResponse'>;
export type Family = Integration['family'];

export const integrationsQuery = queryOptions({
  queryKey: ['integrations'],
  queryFn: async ({ signal }) => (await dataOf(api.GET('/api/integrations', { signal }))).integrations,
  refetchInterval: ({ state }) => pollMs(state.error, true),
});

/** The runs that last used an integration, and the monitoring agents whose plans name it. */
export const usageQuery = (id: string) =>
  queryOptions({
    queryKey: ['integration-usage', id],
    queryFn: ({ signal }) =>
      dataOf(api.GET('/api/integrations/{integration_id}/usage', { params: { path: { integration_id: id } }, signal })),
  });

/** Where the team is told that an integration stops answering. */
export const alertsQuery = queryOptions({
  queryKey: ['integration-alerts'],
  queryFn: async ({ signal }) => (await dataOf(api.GET('/api/integrations/alerts', { signal }))).channel,
});
