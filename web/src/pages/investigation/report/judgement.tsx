import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Check, X } from 'lucide-react';
import { may, sessionQuery } from '../../../api/session.ts';
import { Button } from '../../../components/ui/button.tsx';
import { Panel } from '../../../components/ui/panel.tsx';
import { useToaster } from '../../../components/ui/toast.tsx';
import { judge, refresh, type Investigation } from '../queries.ts';

/** Whether the report was right: people know in the end, and later investigations are told. */
export function Judgement({ investigation: { id, judgement } }: { investigation: Investigation }) {
  const { data: session } = useQuery(sessionQuery);
  const queryClient = useQueryClient();
  const toaster = useToaster();
  const { mutate, isPending } = useMutation({
    mutationFn: (verdict: Investigation['judgement']) => judge(id, verdict),
    onError: toaster.fail,
    onSettled: () => refresh(queryClient),
  });
  if (!may(session, 'investigations:write') && judgement === null) return null;
  const toggle = (verdict: 'right' | 'wrong') => mutate(judgement === verdict ? null : verdict);
  return (
    <Panel title="Was this diagnosis correct?">
      {may(session, 'investigations:write') ? (
        <div className="flex flex-wrap items-center gap-2">
          <Button disabled={isPending} aria-pressed={judgement === 'right'} onClick={() => toggle('right')}>
            <Check aria-hidden size={16} /> Right
          </Button>
          <Button disabled={isPending} aria-pressed={judgement === 'wrong'} onClick={() => toggle('wrong')}>
            <X aria-hidden size={16} /> Wrong
          </Button>
          <span className="text-sm text-ink-soft">
            {judgement === null ? 'Your rating helps later investigations of the same fault.' : `Judged ${judgement}.`}
          </span>
        </div>
      ) : (
        <p>Judged {judgement}.</p>
      )}
    </Panel>
  );
}
