import { queryOptions } from '@tanstack/react-query';
import { api, dataOf } from '../../api/client.ts';

/** The sign-in methods of this installation. */
export const signInMethodsQuery = queryOptions({
  queryKey: ['sign-in-methods'],
  staleTime: Infinity,
  queryFn: ({ signal }) => dataOf(api.GET('/api/sign-in', { signal })),
});
