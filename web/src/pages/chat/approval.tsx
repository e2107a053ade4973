/** A tool call that waits for the reader's approval. */
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { ShieldQuestion } from 'lucide-react';
import { useId } from 'react';
import { may, sessionQuery } from '../../api/session.ts';
import { Button } from '../../components/ui/button.tsx';
import { Failed } from '../../components/ui/states.tsx';
import { Time } from '../../components/ui/time.tsx';
import { approvalQuery, decide } from './queries.ts';
import { CallInput } from './tool-call.tsx';

/** Shown only to who may decide; the others see that the answer waits. */
export function Approval({ id }: { id: string }) {
  const titleId = useId();
  const queryClient = useQueryClient();
  const { data: session } = useQuery(sessionQuery);
  const mayAct = may(session, 'chats:act');
  const { data: approval } = useQuery({ ...approvalQuery(id), enabled: mayAct });
  const { mutate, isPending, error } = useMutation({
    mutationFn: decide,
    onSuccess: (decided) => queryClient.setQueryData(approvalQuery(id).queryKey, decided),
    // Somebody else was faster, or it is too late.
    onError: () => queryClient.invalidateQueries(approvalQuery(id)),
  });
  if (approval === undefined || !mayAct || !may(session, approval.requires)) return null;
  const { status, digest, tool, summary, input, expires_at: expiresAt } = approval;
  return (
    <section aria-labelledby={titleId} className="flex flex-col gap-2 rounded-lg border border-warn bg-surface p-3">
      <h3 id={titleId} className="flex items-center gap-2 font-medium">
        <ShieldQuestion aria-hidden size={16} className="shrink-0 text-warn" />
        {HEADS[status]}
      </h3>
      <p className="break-words">{summary}</p>
      <p className="text-sm text-ink-soft">
        <code className="font-mono break-all">{tool}</code>
        {status === 'pending' && (
          <>
            {' '}
            · expires <Time at={expiresAt} />
          </>
        )}
      </p>
      <CallInput input={input} />
      {error !== null && <Failed error={error} />}
      {status === 'pending' && (
        <div className="flex flex-wrap gap-2">
          <Button variant="primary" disabled={isPending} onClick={() => mutate({ id, digest, decision: 'approve' })}>
            Approve
          </Button>
          <Button disabled={isPending} onClick={() => mutate({ id, digest, decision: 'decline' })}>
            Decline
          </Button>
        </div>
      )}
    </section>
  );
}

const HEADS = {
  pending: 'Allow this action?',
  approved: 'Approved',
  used: 'Approved',
  declined: 'Declined',
  expired: 'Expired, not run',
} as const;
