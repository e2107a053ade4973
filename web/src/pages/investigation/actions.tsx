import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { MessagesSquare, RotateCcw, Square } from 'lucide-react';
import { lazy, Suspense, useState } from 'react';
import { may, sessionQuery } from '../../api/session.ts';
import { Button } from '../../components/ui/button.tsx';
import { CopyButton } from '../../components/ui/copy-button.tsx';
import { Confirm } from '../../components/ui/dialog.tsx';
import { useToaster } from '../../components/ui/toast.tsx';
import { cancel, refresh, rerun, type Investigation } from './queries.ts';

const ShareMenu = lazy(async () => ({ default: (await import('./share/share-menu.tsx')).ShareMenu }));

/** What can be done with the investigation. */
export function Actions({ investigation }: { investigation: Investigation }) {
  const { id, status, investigation_text } = investigation;
  const { data: session } = useQuery(sessionQuery);
  const isRunning = status === 'processing';
  const mayWrite = may(session, 'investigations:write');
  return (
    <>
      {may(session, 'chats:write') && (
        <Button variant={isRunning ? 'plain' : 'primary'} asChild>
          <Link to="/chat" search={{ about: id }}>
            <MessagesSquare aria-hidden size={16} /> Chat about it
          </Link>
        </Button>
      )}
      {mayWrite && isRunning && <CancelButton investigation={investigation} />}
      {mayWrite && !isRunning && <RerunButton id={id} />}
      {investigation_text !== null && <CopyButton text={() => investigation_text}>Copy as Markdown</CopyButton>}
      <Suspense fallback={<Button disabled>Share</Button>}>
        <ShareMenu investigation={investigation} />
      </Suspense>
    </>
  );
}

function CancelButton({ investigation: { id, cancel_requested_at } }: { investigation: Investigation }) {
  const [isAsking, setIsAsking] = useState(false);
  const queryClient = useQueryClient();
  const toaster = useToaster();
  const { mutate, isPending } = useMutation({
    mutationFn: () => cancel(id),
    onError: toaster.fail,
    onSettled: () => refresh(queryClient),
  });
  const isCancelling = isPending || cancel_requested_at !== null;
  return (
    <>
      <Button variant="danger" disabled={isCancelling} onClick={() => setIsAsking(true)}>
        <Square aria-hidden size={14} /> {isCancelling ? 'Stopping…' : 'Stop'}
      </Button>
      <Confirm
        open={isAsking}
        onOpenChange={setIsAsking}
        title="Stop this investigation?"
        description="Running tools will stop. Findings so far are kept, but there will be no report. You can run it again."
        action="Stop investigation"
        keep="Keep running"
        onConfirm={() => mutate()}
      />
    </>
  );
}

export function RerunButton({ id, variant }: { id: string; variant?: 'primary' }) {
  const queryClient = useQueryClient();
  const navigate = useNavigate();
  const toaster = useToaster();
  const { mutate, isPending } = useMutation({
    mutationFn: () => rerun(id),
    onError: toaster.fail,
    onSuccess: async ({ investigation_id }) => {
      await navigate({ to: '/investigation/$investigationId', params: { investigationId: investigation_id } });
      await refresh(queryClient);
    },
  });
  return (
    <Button disabled={isPending} onClick={() => mutate()} {...(variant && { variant })}>
      <RotateCcw aria-hidden size={16} /> Rerun
    </Button>
  );
}
