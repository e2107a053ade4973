import type { QueryClient } from '@tanstack/react-query';
import { ApiError } from '../api/client.ts';
import { signIn, type Session } from '../api/session.ts';
import { randomId } from './random-id.ts';

/** Retry after these delays: a killed process is back by then. */
const REPEATED_AFTER_MS = [500, 1_500, 4_000];

const mayHaveWorked = (error: unknown): boolean =>
  error instanceof ApiError && (error.status === 0 || error.status >= 500);

/**
 * Signs in with a one-time link. Even if no response arrived the link may be used up, so the attempt is retried under
 * the name it started with, by which the API recognises it.
 * @throws {ApiError} 401 if the link was used or has expired
 */
export async function signInByLink(queryClient: QueryClient, link: string): Promise<Session> {
  const attempt = randomId();
  for (const delayMs of REPEATED_AFTER_MS) {
    try {
      return await signIn(queryClient, { link, attempt });
    } catch (error) {
      if (!mayHaveWorked(error)) throw error;
      await new Promise((resolve) => setTimeout(resolve, delayMs));
    }
  }
  return signIn(queryClient, { link, attempt });
}
