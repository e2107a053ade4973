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
