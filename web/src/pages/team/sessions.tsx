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
import { sessionsQuery, type BrowserSession } from './queries.ts';

const METHODS: Record<BrowserSession['signed_in_with'], string> = {
  api_key: 'API key',
  link: 'one-time link',
  oidc: 'identity provider',
};

/** The browsers that are signed in. */
export function Sessions({ isAdmin }: { isAdmin: boolean }) {
  const { data: sessions, error, refetch } = useQuery(sessionsQuery);
  const [ending, setEnding] = useState<BrowserSession | null>(null);
  const queryClient = useQueryClient();
  const toaster = useToaster();
  const end = useMutation({
    mutationFn: ({ id }: BrowserSession) =>
      dataOf(api.DELETE('/api/sessions/{session_id}', { params: { path: { session_id: id } } })),
    onSuccess: () => queryClient.invalidateQueries({ queryKey: sessionsQuery.queryKey }),
    onError: toaster.fail,
  });
  if (error !== null) return <Failed error={error} onRetry={() => void refetch()} />;
  if (sessions === undefined) return <Loading />;
  if (sessions.length === 0) return <Empty title="No browser is signed in." />;
  return (
    <>
      <p className="mb-3 text-sm text-ink-soft">
        {isAdmin ? 'Every browser that is signed in to this team.' : 'The browsers that you are signed in with.'}
      </p>
      <Table
        label="Sessions"
        rows={sessions}
        keyOf={({ id }) => id}
        columns={[
          {
            title: 'Browser',
            cell: ({ browser, current, user }) => (
              <>
                <span className="line-clamp-2 break-words" title={browser}>
                  {browser}
                </span>
                <span className="text-ink-soft">{user?.name ?? 'nobody in particular'}</span>{' '}
                {current && <Badge tone="good">this one</Badge>}
              </>
            ),
          },
          { title: 'Signed in by', isMinor: true, cell: (session) => METHODS[session.signed_in_with] },
          {
            title: 'Last used',
            isMinor: true,
            cell: ({ last_used_at: at, created_at: since }) => <Time at={at ?? since} />,
          },
          { title: 'Ends', isMinor: true, cell: ({ expires_at: at }) => <Time at={at} /> },
          {
            title: 'Actions',
            isActions: true,
            cell: (session) =>
              session.current ? null : (
                <Button size="small" onClick={() => setEnding(session)}>
                  End
                </Button>
              ),
          },
        ]}
      />
      <Confirm
        open={ending !== null}
        onOpenChange={() => setEnding(null)}
        title="End this session?"
        description="That browser has to sign in again."
        action="End session"
        onConfirm={() => ending && end.mutate(ending)}
      />
    </>
  );
}
