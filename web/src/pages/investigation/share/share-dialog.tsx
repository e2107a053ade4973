import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState, type SubmitEvent } from 'react';
import { messageOf } from '../../../app/message-of.ts';
import { Button } from '../../../components/ui/button.tsx';
import { CopyButton } from '../../../components/ui/copy-button.tsx';
import { Confirm, Dialog } from '../../../components/ui/dialog.tsx';
import { Field, Input, Select } from '../../../components/ui/field.tsx';
import { count } from '../../../components/ui/numbers.ts';
import { Failed, Loading } from '../../../components/ui/states.tsx';
import { Time, wholeTime } from '../../../components/ui/time.tsx';
import { useToaster } from '../../../components/ui/toast.tsx';
import { createShare, revokeShare, sharesQuery, type Share } from './queries.ts';

/** Creates read-only links to a report, and lists and revokes those that still work. */
export function ShareDialog({ id, onClose }: { id: string; onClose: () => void }) {
  const [url, setUrl] = useState<string>();
  return (
    <Dialog
      open
      onOpenChange={(isOpen) => !isOpen && onClose()}
      title="Read-only links"
      description="Anyone with a link can read this report and its cited excerpts without signing in."
      isSticky={url !== undefined}
    >
      <div className="flex flex-col gap-5">
        {url === undefined ? <NewShare id={id} onCreated={setUrl} /> : <Created url={url} />}
        <LiveShares id={id} />
      </div>
    </Dialog>
  );
}

function NewShare({ id, onCreated }: { id: string; onCreated: (url: string) => void }) {
  const [label, setLabel] = useState('');
  const [days, setDays] = useState('7');
  const queryClient = useQueryClient();
  const create = useMutation({
    mutationFn: () => createShare(id, { label: label.trim(), expires_in_days: Number(days) }),
    // First: the link is shown only once.
    onSuccess: ({ url }) => {
      onCreated(url);
      void queryClient.invalidateQueries({ queryKey: sharesQuery(id).queryKey });
    },
  });
  return (
    <form
      className="flex flex-col gap-4"
      onSubmit={(event: SubmitEvent) => {
        event.preventDefault();
        if (!create.isPending) create.mutate();
      }}
    >
      <Field
        label="Label"
        hint="Who it is for. Only your team sees it."
        error={create.error && messageOf(create.error)}
      >
        {(control) => (
          <Input {...control} maxLength={100} value={label} onChange={({ target }) => setLabel(target.value)} />
        )}
      </Field>
      <Field label="Expires">
        {(control) => (
          <Select {...control} value={days} onChange={({ target }) => setDays(target.value)}>
            <option value="1">In a day</option>
            <option value="7">In 7 days</option>
            <option value="30">In 30 days</option>
            <option value="90">In 90 days</option>
          </Select>
        )}
      </Field>
      <Button type="submit" variant="primary" className="self-start" disabled={create.isPending}>
        Create link
      </Button>
    </form>
  );
}

function Created({ url }: { url: string }) {
  return (
    <div role="status">
      <p className="mb-2 text-sm text-ink-soft">Copy the link now; it is not shown again.</p>
      <p className="mb-3 rounded-md bg-sunken p-3 font-mono text-sm break-all select-all">{url}</p>
      <CopyButton variant="primary" text={() => url}>
        Copy link
      </CopyButton>
    </div>
  );
}

function LiveShares({ id }: { id: string }) {
  const { data, error, refetch } = useQuery(sharesQuery(id));
  return (
    <section>
      <h3 className="mb-2 text-sm font-semibold">Active links</h3>
      {data === undefined &&
        (error === null ? <Loading lines={2} /> : <Failed error={error} onRetry={() => void refetch()} />)}
      {data?.shares.length === 0 && <p className="text-sm text-ink-soft">No active links.</p>}
      <ul className="flex flex-col divide-y">
        {data?.shares.map((share) => (
          <LiveShare key={share.id} id={id} share={share} />
        ))}
      </ul>
    </section>
  );
}

function LiveShare({ id, share }: { id: string; share: Share }) {
  const queryClient = useQueryClient();
  const toaster = useToaster();
  const [isAsking, setIsAsking] = useState(false);
  const { mutate, isPending } = useMutation({
    mutationFn: () => revokeShare(id, share.id),
    onError: toaster.fail,
    onSettled: () => queryClient.invalidateQueries({ queryKey: sharesQuery(id).queryKey }),
  });
  const name = share.label === '' ? 'Unnamed link' : share.label;
  return (
    <li className="flex items-start gap-3 py-2">
      <div className="min-w-0 flex-1 text-sm">
        <bdi className="font-medium wrap-anywhere">{name}</bdi>
        <span className="block text-ink-soft">
          Expires {wholeTime(new Date(share.expires_at))}
          {share.created_by !== null && (
            <>
              {' · '}created by <bdi>{share.created_by}</bdi>
            </>
          )}
        </span>
        <span className="block text-ink-soft">
          {share.last_opened_at === null ? (
            'Never opened'
          ) : (
            <>
              Opened {count(share.opened, 'time')}, last <Time at={share.last_opened_at} />
            </>
          )}
        </span>
      </div>
      <Button
        variant="danger"
        size="small"
        disabled={isPending}
        aria-label={`Revoke ${name}`}
        onClick={() => setIsAsking(true)}
      >
        Revoke
      </Button>
      <Confirm
        open={isAsking}
        onOpenChange={setIsAsking}
        title="Revoke this link?"
        description="Whoever has it can no longer read the report. This cannot be undone."
        action="Revoke link"
        keep="Keep link"
        onConfirm={() => mutate()}
      />
    </li>
  );
}
