import { useQuery } from '@tanstack/react-query';
import { Failed, Loading } from '../../../components/ui/states.tsx';
import { planQuery } from '../queries.ts';
import { PlanEditor } from './plan-editor.tsx';
import { Versions } from './versions.tsx';

/** An agent's plan, its editor and its history. */
export function PlanTab({ agentId, mayWrite }: { agentId: string; mayWrite: boolean }) {
  const { data, isPending, isError, error, refetch } = useQuery(planQuery(agentId));
  if (isPending) return <Loading lines={8} />;
  // Keep what is loaded while refetching fails: somebody may be editing.
  if (isError && data === undefined) return <Failed error={error} onRetry={() => void refetch()} />;
  return (
    <div className="flex flex-col gap-6">
      <PlanEditor key={agentId} agentId={agentId} latest={data} mayWrite={mayWrite} />
      <Versions agentId={agentId} />
    </div>
  );
}
