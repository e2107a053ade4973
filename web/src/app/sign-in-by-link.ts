import type { QueryClient } from '@tanstack/react-query';
import { ApiError } from '../api/client.ts';
import { signIn, type Session } from '../api/session.ts';
import { randomId } from './random-id.ts';

/** After these times the attempt is repeated: a process that was killed is back by then. */
const REPEATED_AFTER_MS = [500, 1_500, 4_000];

const mayHaveWorked = (error: unknown): boolean =>
  error instanceof ApiError && (error.status === 0 || error.status >= 500);

/**
 * Signs in with a one-time link. Where no answer came, the link may be used up all the same: the attempt is repeated
 * under the name it began with, by which the API knows it again.
 * @throws {ApiError} 401 when the link is used or over
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
