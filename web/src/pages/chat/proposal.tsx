/** What a chat has proposed to change, for a person to decide on. */
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { api, dataOf } from '../../api/client.ts';
import { may, sessionQuery } from '../../api/session.ts';
import { Button } from '../../components/ui/button.tsx';
import { Failed } from '../../components/ui/states.tsx';
import { useToaster } from '../../components/ui/toast.tsx';

const params = (id: string) => ({ params: { path: { proposal_id: id } } });

/** What became of a proposal since the chat's answer was stored. */
export const proposalQuery = (id: string) => ({
  queryKey: ['proposals', id],
  queryFn: ({ signal }: { signal: AbortSignal }) =>
    dataOf(api.GET('/api/workspace/proposals/{proposal_id}', { ...params(id), signal })),
});

export function ProposalActions({ id }: { id: string }) {
  const client = useQueryClient();
  const toaster = useToaster();
  const { data: session } = useQuery(sessionQuery);
  const { data, error, refetch } = useQuery(proposalQuery(id));
  const decide = useMutation({
    mutationFn: (what: 'apply' | 'discard') =>
      dataOf(api.POST(`/api/workspace/proposals/{proposal_id}/${what}`, params(id))),
    onSuccess: (outcome) => {
      client.setQueryData(proposalQuery(id).queryKey, outcome);
      if (outcome.status === 'committed') toaster.say('The changes were committed.');
    },
    onError: (failure) => toaster.fail(failure),
  });
  if (error !== null) return <Failed error={error} onRetry={() => void refetch()} />;
  if (data?.status !== 'proposed' || !may(session, 'workspace:write')) return null;
  return (
    <div className="flex flex-wrap gap-2 border-t px-3 py-2">
      <Button variant="primary" size="small" disabled={decide.isPending} onClick={() => decide.mutate('apply')}>
        Apply changes
      </Button>
      <Button size="small" disabled={decide.isPending} onClick={() => decide.mutate('discard')}>
        Discard
      </Button>
    </div>
  );
}
