import { queryOptions } from '@tanstack/react-query';
import { api, dataOf, type Schema } from '../../api/client.ts';

export type Member = Schema<'MemberResponse'>;
export type ApiKey = Schema<'ApiKeyResponse'>;
export type BrowserSession = Schema<'SessionListItem'>;

export const membersQuery = queryOptions({
  queryKey: ['members'],
  queryFn: async ({ signal }) => (await dataOf(api.GET('/api/team/members', { signal }))).members,
});

export const apiKeysQuery = queryOptions({
  queryKey: ['api-keys'],
  queryFn: async ({ signal }) => dataOf(api.GET('/api/api-keys', { signal })),
});

export const sessionsQuery = queryOptions({
  queryKey: ['sessions'],
  queryFn: async ({ signal }) => (await dataOf(api.GET('/api/sessions', { signal }))).sessions,
});
