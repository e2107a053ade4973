import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { KeyRound } from 'lucide-react';
import { useState } from 'react';
import { api, dataOf } from '../../api/client.ts';
import { sessionQuery } from '../../api/session.ts';
import { Badge } from '../../components/ui/badge.tsx';
import { Button } from '../../components/ui/button.tsx';
import { Confirm } from '../../components/ui/dialog.tsx';
import { Failed, Loading } from '../../components/ui/states.tsx';
import { Table } from '../../components/ui/table.tsx';
import { Time } from '../../components/ui/time.tsx';
import { useToaster } from '../../components/ui/toast.tsx';
import { NewApiKey } from './new-api-key.tsx';
import { apiKeysQuery, membersQuery, type ApiKey } from './queries.ts';
import { ShownOnce } from './shown-once.tsx';

export function ApiKeys() {
  const { data, error, refetch } = useQuery(apiKeysQuery);
  const { data: members = [] } = useQuery(membersQuery);
  const { data: session } = useQuery(sessionQuery);
  const [isCreating, setIsCreating] = useState(false);
  const [created, setCreated] = useState<string | null>(null);
  const [revoking, setRevoking] = useState<ApiKey | null>(null);
  const queryClient = useQueryClient();
  const toaster = useToaster();
  const [showsRevoked, setShowsRevoked] = useState(false);
  const revoke = useMutation({
    mutationFn: ({ id }: ApiKey) =>
      dataOf(api.DELETE('/api/api-keys/{api_key_id}', { params: { path: { api_key_id: id } } })),
    onSuccess: async (_, { name }) => {
      toaster.say(`${name} revoked.`);
      await queryClient.invalidateQueries();
    },
    onError: toaster.fail,
  });
  if (error !== null && data === undefined) return <Failed error={error} onRetry={() => void refetch()} />;
  if (data === undefined) return <Loading />;
  const { api_keys: keys } = data;
  const current = keys.filter((key) => key.revoked_at === null);
  const revoked = keys.length - current.length;
  return (
    <>
      <div className="mb-3 flex flex-wrap items-center justify-between gap-2">
        <Button onClick={() => setIsCreating(true)}>
          <KeyRound aria-hidden size={16} /> Create API key
        </Button>
        {revoked > 0 && (
          <label className="flex min-h-7 items-center gap-2 text-sm">
            <input
              type="checkbox"
              className="size-4 accent-accent"
              checked={showsRevoked}
              onChange={({ target }) => setShowsRevoked(target.checked)}
            />
            Show revoked keys ({revoked})
          </label>
        )}
      </div>
      <Table
        label="API keys"
        rows={showsRevoked ? keys : current}
        keyOf={({ id }) => id}
        columns={[
          {
            title: 'Key',
            cell: ({ id, name, prefix, user_id: userId, last_used_at: usedAt, expires_at: end }) => (
              <>
                <bdi className="font-medium wrap-anywhere">{name}</bdi>{' '}
                {session?.api_key_id === id && <Badge tone="good">This session</Badge>}
                <br />
                <code className="text-ink-soft">{prefix}…</code>{' '}
                <span className="block text-ink-soft sm:hidden">
                  {usedAt === null ? (
                    'Never used'
                  ) : (
                    <>
                      Last used <Time at={usedAt} />
                    </>
                  )}
                </span>
                {end !== null && (
                  <span className="block text-ink-soft">
                    {Date.parse(end) <= Date.now() ? 'Expired' : 'Expires'} <Time at={end} />
                  </span>
                )}
                {userId !== null && (
                  <span className="block text-ink-soft">
                    Acts for <bdi>{members.find((member) => member.user_id === userId)?.name ?? 'a former member'}</bdi>
                  </span>
                )}
              </>
            ),
          },
          { title: 'Permissions', isMinor: true, cell: ({ scopes }) => <Scopes scopes={scopes} /> },
          {
            title: 'Last used',
            isMinor: true,
            cell: ({ last_used_at: at }) => (at === null ? 'Never' : <Time at={at} />),
          },
          {
            title: 'Actions',
            isActions: true,
            cell: (key) =>
              key.revoked_at === null ? (
                <Button size="small" variant="danger" onClick={() => setRevoking(key)}>
                  Revoke<span className="sr-only"> {key.name}</span>
                </Button>
              ) : (
                <Badge>Revoked</Badge>
              ),
          },
        ]}
      />
      <NewApiKey open={isCreating} onOpenChange={setIsCreating} onCreated={setCreated} />
      <ShownOnce
        title="API key created"
        description="Shown only once. Store it with your other secrets."
        secret={created}
        onClose={() => setCreated(null)}
      />
      <Confirm
        open={revoking !== null}
        onOpenChange={() => setRevoking(null)}
        title={`Revoke ${revoking?.name ?? ''}?`}
        description={
          revoking !== null && revoking.id === session?.api_key_id
            ? 'You are signed in with this key, so your session ends too. Everything that uses it stops working immediately. This cannot be undone.'
            : 'Everything that uses this key stops working immediately, including keys, links and sessions created with it. This cannot be undone.'
        }
        action="Revoke key"
        onConfirm={() => revoking && revoke.mutate(revoking)}
      />
    </>
  );
}

const SHOWN_SCOPES = 4;

function Scopes({ scopes }: { scopes: readonly string[] }) {
  const rest = scopes.length - SHOWN_SCOPES;
  return (
    <span className="flex max-w-md flex-wrap gap-1" title={scopes.join(', ')}>
      {scopes.slice(0, SHOWN_SCOPES).map((scope) => (
        <Badge key={scope}>{scope}</Badge>
      ))}
      {rest > 0 && <span className="text-ink-soft">and {rest} more</span>}
    </span>
  );
}
