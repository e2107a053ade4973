import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState, type SubmitEvent } from 'react';
import { api, dataOf } from '../../api/client.ts';
import { messageOf } from '../../app/message-of.ts';
import { Badge } from '../../components/ui/badge.tsx';
import { Button } from '../../components/ui/button.tsx';
import { CopyButton } from '../../components/ui/copy-button.tsx';
import { Confirm, Dialog } from '../../components/ui/dialog.tsx';
import { Field, Input } from '../../components/ui/field.tsx';
import { Panel } from '../../components/ui/panel.tsx';
import { Failed, Loading } from '../../components/ui/states.tsx';
import { Table } from '../../components/ui/table.tsx';
import { Time } from '../../components/ui/time.tsx';
import { useToaster } from '../../components/ui/toast.tsx';
import { tokensQuery, type EnrolmentToken } from './queries.ts';

/** The enrolment tokens of satellites: visible to readers, created and revoked by writers. */
export function Enrolment({ teamId, isAdmin }: { teamId: string; isAdmin: boolean }) {
  const { data: tokens, error, refetch } = useQuery(tokensQuery(teamId));
  const [name, setName] = useState('');
  const [created, setCreated] = useState<string | null>(null);
  const [revoking, setRevoking] = useState<EnrolmentToken | null>(null);
  const queryClient = useQueryClient();
  const toaster = useToaster();
  const onSuccess = () => queryClient.invalidateQueries({ queryKey: tokensQuery(teamId).queryKey });
  const create = useMutation({
    mutationFn: () => dataOf(api.POST('/api/satellite-tokens', { body: { name: name.trim() } })),
    onSuccess: async ({ token }) => {
      setName('');
      setCreated(token);
      await onSuccess();
    },
  });
  const revoke = useMutation({
    mutationFn: ({ id }: EnrolmentToken) =>
      dataOf(api.DELETE('/api/satellite-tokens/{token_id}', { params: { path: { token_id: id } } })),
    onSuccess,
    onError: toaster.fail,
  });
  const submit = (event: SubmitEvent): void => {
    event.preventDefault();
    if (!create.isPending && name.trim() !== '') create.mutate();
  };
  return (
    <Panel title="Enrolment tokens" className="mt-6">
      {isAdmin && (
        <form onSubmit={submit} className="mb-4 flex flex-wrap items-end gap-2">
          <Field label="Token name" className="min-w-0 flex-1 basis-64" error={create.error && messageOf(create.error)}>
            {(control) => (
              <Input
                {...control}
                placeholder="production, eu-west"
                maxLength={100}
                value={name}
                onChange={({ target }) => setName(target.value)}
              />
            )}
          </Field>
          <Button type="submit" disabled={name.trim() === '' || create.isPending}>
            Create token
          </Button>
        </form>
      )}
      {error !== null && <Failed error={error} onRetry={() => void refetch()} />}
      {tokens === undefined && error === null && <Loading />}
      {tokens?.length === 0 && <p className="text-ink-soft">No tokens yet.</p>}
      {tokens !== undefined && tokens.length > 0 && (
        <Table
          label="Enrolment tokens"
          rows={tokens}
          keyOf={({ id }) => id}
          columns={[
            {
              title: 'Token',
              cell: ({ name, prefix }) => (
                <>
                  <bdi className="wrap-anywhere">{name}</bdi> <code className="text-ink-soft">{prefix}…</code>
                </>
              ),
            },
            { title: 'Created', isMinor: true, cell: ({ created_at: at }) => <Time at={at} /> },
            {
              title: 'Last used',
              isMinor: true,
              cell: ({ last_used_at: at }) => (at === null ? 'Never' : <Time at={at} />),
            },
            {
              title: 'Actions',
              isActions: true,
              cell: (token) =>
                token.revoked_at !== null ? (
                  <Badge>Revoked</Badge>
                ) : isAdmin ? (
                  <Button size="small" variant="danger" onClick={() => setRevoking(token)}>
                    Revoke<span className="sr-only"> {token.name}</span>
                  </Button>
                ) : null,
            },
          ]}
        />
      )}
      <Dialog
        open={created !== null}
        onOpenChange={(isOpen) => !isOpen && setCreated(null)}
        title="Start a satellite with this token"
        description="The token is shown only once. The satellite needs outbound access to this address and nothing else."
        isSticky
      >
        <pre className="mb-3 rounded-md bg-sunken p-3 text-sm wrap-anywhere whitespace-pre-wrap">
          {startCommand(created ?? '')}
        </pre>
        <CopyButton variant="primary" text={() => startCommand(created ?? '')}>
          Copy command
        </CopyButton>
      </Dialog>
      <Confirm
        open={revoking !== null}
        onOpenChange={() => setRevoking(null)}
        title={`Revoke ${revoking?.name ?? ''}?`}
        description="Satellites that use it are disconnected within seconds and cannot reconnect. This cannot be undone."
        action="Revoke token"
        onConfirm={() => revoking && revoke.mutate(revoking)}
      />
    </Panel>
  );
}

const startCommand = (token: string): string =>
  `CASEBOOK_URL=${location.origin} \\\nCASEBOOK_SATELLITE_TOKEN=${token} \\\nnpm run satellite -- satellite/satellite.example.yaml`;
