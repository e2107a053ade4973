import { QueryClient } from '@tanstack/react-query';
import { ApiError } from '../api/client.ts';

/** Retrying does not change these. */
const isFinal = (error: unknown): boolean => error instanceof ApiError && error.status >= 400 && error.status < 500;

/** How the app fetches and retries. */
export const createQueryClient = (): QueryClient =>
  new QueryClient({
    defaultOptions: {
      queries: {
        // A laptop without a network still reaches its own Casebook; try, rather than trust `navigator.onLine`.
        networkMode: 'always',
        refetchOnReconnect: true,
        staleTime: 5_000,
        retry: (failures, error) => !isFinal(error) && failures < 3,
        retryDelay: (failures) => Math.min(500 * 2 ** failures, 8_000),
      },
      // A failed mutation is reported at once and not sent later, when nobody expects it any more.
      mutations: { networkMode: 'always', retry: false },
    },
  });
