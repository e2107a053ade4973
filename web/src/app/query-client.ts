import { QueryClient } from '@tanstack/react-query';
import { ApiError } from '../api/client.ts';

/** What no repetition changes. */
const isFinal = (error: unknown): boolean => error instanceof ApiError && error.status >= 400 && error.status < 500;

/** How the app asks and asks again. */
export const createQueryClient = (): QueryClient =>
  new QueryClient({
    defaultOptions: {
      queries: {
        // A laptop without a network still reaches a Casebook of its own; whether a request can be sent is seen by sending it.
        networkMode: 'always',
        refetchOnReconnect: true,
        staleTime: 5_000,
        retry: (failures, error) => !isFinal(error) && failures < 3,
        retryDelay: (failures) => Math.min(500 * 2 ** failures, 8_000),
      },
      // What could not be sent is said at once, and not sent by itself when somebody no longer expects it.
      mutations: { networkMode: 'always', retry: false },
    },
  });
