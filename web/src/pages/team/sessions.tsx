import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { api, dataOf } from '../../api/client.ts';
import { Badge } from '../../components/ui/badge.tsx';
import { Button } from '../../components/ui/button.tsx';
import { Confirm } from '../../components/ui/dialog.tsx';
import { Empty, Failed, Loading } from '../../components/ui/states.tsx';
import { Table } from '../../components/ui/table.tsx';
import { Time } from '../../components/ui/time.tsx';
import { useToaster } from '../../components/ui/toast.tsx';
import { browserName } from './browser-name.ts';
import { sessionsQuery, type BrowserSession } from './queries.ts';

const METHODS: Record<BrowserSession['signed_in_with'], string> = {
  api_key: 'API key',
  link: 'One-time link',
  oidc: 'Identity provider',
};

/** The browser sessions. */
export function Sessions({ isAdmin }: { isAdmin: boolean }) {
  const { data: sessions, error, refetch } = useQuery(sessionsQuery);
  const [ending, setEnding] = useState<BrowserSession | null>(null);
  const queryClient = useQueryClient();
  const toaster = useToaster();
  const end = useMutation({
    mutationFn: ({ id }: BrowserSession) =>
      dataOf(api.DELETE('/api/sessions/{session_id}', { params: { path: { session_id: id } } })),
    onSuccess: async () => {
      await queryClient.invalidateQueries({ queryKey: sessionsQuery.queryKey });
      toaster.say('Session ended.');
    },
    onError: toaster.fail,
  });
  if (error !== null && sessions === undefined) return <Failed error={error} onRetry={() => void refetch()} />;
  if (sessions === undefined) return <Loading />;
  if (sessions.length === 0) return <Empty title="No active sessions" />;
  return (
    <>
      <p className="mb-3 text-sm text-ink-soft">
        {isAdmin ? 'All browsers signed in to this team.' : 'The browsers you are signed in with.'}
      </p>
      <Table
        label="Sessions"
        rows={sessions}
        keyOf={({ id }) => id}
        columns={[
          {
            title: 'Browser',
            cell: ({ browser, current, user, last_used_at: at, created_at: since }) => (
              <>
                <span className="line-clamp-2 font-medium wrap-anywhere" title={browser}>
                  {browserName(browser)}
                </span>
                <bdi className="wrap-anywhere text-ink-soft">{user?.name ?? 'Service key'}</bdi>{' '}
                {current && <Badge tone="good">This browser</Badge>}
                <span className="block text-ink-soft sm:hidden">
                  Last used <Time at={at ?? since} />
                </span>
              </>
            ),
          },
          { title: 'Sign-in method', isMinor: true, cell: (session) => METHODS[session.signed_in_with] },
          {
            title: 'Last used',
            isMinor: true,
            cell: ({ last_used_at: at, created_at: since }) => <Time at={at ?? since} />,
          },
          { title: 'Expires', isMinor: true, cell: ({ expires_at: at }) => <Time at={at} /> },
          {
            title: 'Actions',
            isActions: true,
            cell: (session) =>
              session.current ? null : (
                <Button size="small" onClick={() => setEnding(session)}>
                  End session
                  <span className="sr-only"> of {nameOf(session)}</span>
                </Button>
              ),
          },
        ]}
      />
      <Confirm
        open={ending !== null}
        onOpenChange={() => setEnding(null)}
        title={ending === null ? '' : `End the session of ${ending.user?.name ?? 'a service key'}?`}
        description={
          <>{ending !== null && browserName(ending.browser)} must sign in again. Unsent text there may be lost.</>
        }
        action="End session"
        onConfirm={() => ending && end.mutate(ending)}
      />
    </>
  );
}

const nameOf = ({ user, browser }: BrowserSession): string =>
  `${user?.name ?? 'a service key'}, ${browserName(browser)}`;
