/** Who is signed in. */
import { queryOptions, type QueryClient } from '@tanstack/react-query';
import { forgetDrafts } from '../app/draft.ts';
import { api, ApiError, dataOf, setCsrfToken, type Schema } from './client.ts';

export type Session = Schema<'SessionResponse'>;

const KEY = ['session'] as const;

/** This browser's session; null if nobody is signed in. */
export const sessionQuery = queryOptions({
  queryKey: KEY,
  staleTime: 5 * 60_000,
  // Another tab may have signed in or out meanwhile.
  refetchOnWindowFocus: 'always',
  queryFn: async ({ client, signal }): Promise<Session | null> => {
    try {
      const session = keep(await dataOf(api.GET('/api/session', { signal })));
      forgetOthers(client, session);
      return session;
    } catch (error) {
      if (error instanceof ApiError && error.status === 401) return null;
      throw error;
    }
  },
});

/** Data fetched for another person or team is neither shown nor kept. */
function forgetOthers(queryClient: QueryClient, { team, user }: Session): void {
  const before = queryClient.getQueryData<Session | null>(KEY);
  if (!before || (before.team.id === team.id && before.user?.id === user?.id)) return;
  forgetDrafts();
  void queryClient.resetQueries({ predicate: ({ queryKey }) => queryKey[0] !== KEY[0] });
}

function keep(session: Session): Session {
  setCsrfToken(session.csrf_token);
  return session;
}

/**
 * Signs in with an API key or the token of a one-time link.
 * @throws {ApiError} 401 if the credential is invalid or has expired
 */
export async function signIn(queryClient: QueryClient, by: Schema<'SessionRequest'>): Promise<Session> {
  const session = keep(await dataOf(api.POST('/api/session', { body: by })));
  // Anything fetched before was fetched as someone else.
  queryClient.clear();
  queryClient.setQueryData(sessionQuery.queryKey, session);
  return session;
}

/**
 * Switches to another of the person's teams and reloads the page, so that nothing of the old team stays on it or is
 * still on its way.
 * @throws {ApiError} 404 if they are no longer a member
 */
export async function changeTeam(teamId: string): Promise<void> {
  await dataOf(api.POST('/api/session/team', { body: { team_id: teamId } }));
  forgetDrafts();
  window.location.assign('/');
}

export async function signOut(queryClient: QueryClient): Promise<void> {
  await dataOf(api.DELETE('/api/session'));
  setCsrfToken(undefined);
  queryClient.clear();
  queryClient.setQueryData(sessionQuery.queryKey, null);
}

/** Whether the session may do something; mirrors `grants` of the API. */
export function may(session: Session | null | undefined, scope: string): boolean {
  const scopes: readonly string[] = session?.scopes ?? [];
  if (scopes.includes(scope) || scopes.includes('system:admin')) return true;
  return scopes.includes('team:admin') && !scope.startsWith('system:');
}
