/** Who is signed in. */
import { queryOptions, type QueryClient } from '@tanstack/react-query';
import { forgetDrafts } from '../app/draft.ts';
import { api, ApiError, dataOf, setCsrfToken, type Schema } from './client.ts';

export type Session = Schema<'SessionResponse'>;

const KEY = ['session'] as const;

/** The session of this browser; null when nobody is signed in. */
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

/** What was asked for another person or team is neither shown nor kept. */
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
 * @throws {ApiError} 401 when the credential is not, or no longer, good
 */
export async function signIn(queryClient: QueryClient, by: Schema<'SessionRequest'>): Promise<Session> {
  const session = keep(await dataOf(api.POST('/api/session', { body: by })));
  // Whatever was asked before was asked as somebody else.
  queryClient.clear();
  queryClient.setQueryData(sessionQuery.queryKey, session);
  return session;
}

/**
 * Goes on in another team of the person, with a page that is loaded anew: nothing of the team that is left stays on it,
 * and nothing that is still on its way to it.
 * @throws {ApiError} 404 when they are no member there any more
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

/** Whether the session may do something; as `grants` of the API does it. */
export function may(session: Session | null | undefined, scope: string): boolean {
  const scopes: readonly string[] = session?.scopes ?? [];
  if (scopes.includes(scope) || scopes.includes('system:admin')) return true;
  return scopes.includes('team:admin') && !scope.startsWith('system:');
}
