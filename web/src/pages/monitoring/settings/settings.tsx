/** An agent's name, limits and notification channel. */
import { useQuery } from '@tanstack/react-query';
import { Failed, Loading } from '../../../components/ui/states.tsx';
import { configQuery } from '../queries.ts';
import { ChannelPanel } from './channel-panel.tsx';
import { LimitsPanel } from './limits-panel.tsx';

export function Settings({ agentId, mayWrite }: { agentId: string; mayWrite: boolean }) {
  const { data, isPending, isError, error, refetch } = useQuery(configQuery(agentId));
  if (isPending) return <Loading lines={6} />;
  // Keep edits while refetching fails.
  if (isError && data === undefined) return <Failed error={error} onRetry={() => void refetch()} />;
  return (
    <div className="grid items-start gap-4 lg:grid-cols-2">
      <ChannelPanel config={data} mayWrite={mayWrite} />
      <LimitsPanel config={data} mayWrite={mayWrite} />
    </div>
  );
}
