/** What people can do with a finding. */
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { BellOff, Check, CheckCheck } from 'lucide-react';
import { useState, type SubmitEvent } from 'react';
import { api, dataOf, type Schema } from '../../api/client.ts';
import { may, sessionQuery } from '../../api/session.ts';
import { serverNow } from '../../api/server-clock.ts';
import { randomId } from '../../app/random-id.ts';
import { Button } from '../../components/ui/button.tsx';
import { Confirm } from '../../components/ui/dialog.tsx';
import { Field, Select, Textarea } from '../../components/ui/field.tsx';
import { Panel } from '../../components/ui/panel.tsx';
import { useToaster } from '../../components/ui/toast.tsx';
import { membersQuery } from '../team/queries.ts';
import { findingQuery, type Finding } from './queries.ts';

/** How long a finding can be muted here; the API takes any time. */
const MUTES: readonly [label: string, hours: number][] = [
  ['1 hour', 1],
  ['4 hours', 4],
  ['1 day', 24],
  ['1 week', 168],
];

function useActs(findingId: string) {
  const queryClient = useQueryClient();
  const toaster = useToaster();
  const params = { params: { path: { finding_id: findingId } } };
  const options = {
    // The answer is the finding as it now is.
    onSuccess: (finding: Finding) => queryClient.setQueryData(findingQuery(findingId).queryKey, finding),
    onError: toaster.fail,
    onSettled: () => queryClient.invalidateQueries({ queryKey: ['findings'] }),
  };
  const acknowledge = useMutation({
    mutationFn: (acknowledged: boolean) =>
      dataOf(api.POST('/api/findings/{finding_id}/acknowledge', { ...params, body: { acknowledged } })),
    ...options,
  });
  const close = useMutation({
    mutationFn: () => dataOf(api.POST('/api/findings/{finding_id}/close', { ...params, body: {} })),
    ...options,
  });
  const mute = useMutation({
    mutationFn: (hours: number | null) => {
      const until = hours === null ? null : new Date(serverNow() + hours * 3_600_000).toISOString();
      return dataOf(api.POST('/api/findings/{finding_id}/mute', { ...params, body: { until } }));
    },
    ...options,
  });
  const assign = useMutation({
    mutationFn: (body: Schema<'AssignFindingRequest'>) =>
      dataOf(api.POST('/api/findings/{finding_id}/assign', { ...params, body })),
    ...options,
  });
  const comment = useMutation({
    mutationFn: ({ text, key }: { text: string; key: string }) =>
      dataOf(
        api.POST('/api/findings/{finding_id}/comments', {
          params: { ...params.params, header: { 'idempotency-key': key } },
          body: { text },
        }),
      ),
    ...options,
  });
  return { acknowledge, close, mute, assign, comment };
}

export function FindingActs({ finding }: { finding: Finding }) {
  const { data: session } = useQuery(sessionQuery);
  if (!may(session, 'monitoring:write') || finding.status === 'pending') return null;
  return (
    <Panel title="Actions">
      <div className="flex flex-col gap-4">
        {finding.status !== 'closed' && <OpenActs finding={finding} mayListMembers={may(session, 'team:read')} />}
        <Comment findingId={finding.id} />
      </div>
    </Panel>
  );
}

function OpenActs({ finding, mayListMembers }: { finding: Finding; mayListMembers: boolean }) {
  const { acknowledge, close, mute, assign } = useActs(finding.id);
  const { data: members = [] } = useQuery({ ...membersQuery, enabled: mayListMembers });
  const [isAsking, setIsAsking] = useState(false);
  const { acknowledged, muted_until: mutedUntil, assignee } = finding;
  const isMember = assignee === null || members.some(({ user_id: id }) => id === assignee.user_id);
  return (
    <>
      <div className="flex flex-wrap gap-2">
        <Button
          variant={acknowledged === null ? 'primary' : 'plain'}
          disabled={acknowledge.isPending}
          onClick={() => acknowledge.mutate(acknowledged === null)}
        >
          <Check aria-hidden size={16} /> {acknowledged === null ? 'Acknowledge' : 'Unacknowledge'}
        </Button>
        <Button disabled={close.isPending} onClick={() => setIsAsking(true)}>
          <CheckCheck aria-hidden size={16} /> Close
        </Button>
        {mutedUntil !== null && (
          <Button disabled={mute.isPending} onClick={() => mute.mutate(null)}>
            <BellOff aria-hidden size={16} /> Unmute
          </Button>
        )}
      </div>
      {mayListMembers && (
        <Field label="Assignee">
          {(control) => (
            <Select
              {...control}
              value={assignee?.user_id ?? ''}
              disabled={assign.isPending}
              onChange={({ target }) => assign.mutate({ user_id: target.value === '' ? null : target.value })}
            >
              <option value="">Unassigned</option>
              {!isMember && <option value={assignee.user_id}>{assignee.name} (left the team)</option>}
              {members.map(({ user_id: id, name }) => (
                <option key={id} value={id}>
                  {name}
                </option>
              ))}
            </Select>
          )}
        </Field>
      )}
      {mutedUntil === null && (
        <Field label="Mute notifications for">
          {(control) => (
            <Select
              {...control}
              value=""
              disabled={mute.isPending}
              onChange={({ target }) => mute.mutate(Number(target.value))}
            >
              <option value="">Not muted</option>
              {MUTES.map(([label, hours]) => (
                <option key={hours} value={hours}>
                  {label}
                </option>
              ))}
            </Select>
          )}
        </Field>
      )}
      <Confirm
        open={isAsking}
        onOpenChange={setIsAsking}
        title="Close this finding?"
        description="While the problem lasts, no new finding opens until it has recovered once. Learned baselines take the current level as normal."
        action="Close finding"
        keep="Keep open"
        onConfirm={() => close.mutate()}
      />
    </>
  );
}

function Comment({ findingId }: { findingId: string }) {
  const { comment } = useActs(findingId);
  const [text, setText] = useState('');
  /** The same for every attempt at one comment. */
  const [key, setKey] = useState(randomId);
  const send = (event: SubmitEvent): void => {
    event.preventDefault();
    if (text.trim() === '') return;
    const done = (): void => {
      setText('');
      setKey(randomId());
    };
    comment.mutate({ text: text.trim(), key }, { onSuccess: done });
  };
  return (
    <form className="flex flex-col gap-2" onSubmit={send}>
      <Field label="Comment">
        {(control) => (
          <Textarea
            {...control}
            value={text}
            maxLength={5_000}
            onChange={({ target }) => {
              setText(target.value);
              setKey(randomId());
            }}
          />
        )}
      </Field>
      <div>
        <Button type="submit" disabled={comment.isPending || text.trim() === ''}>
          Add comment
        </Button>
      </div>
    </form>
  );
}
