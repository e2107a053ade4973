/** The page of one investigation: what is going on, what was found, and the evidence for it. */
import { useQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import { PageFailed } from '../../app/fallbacks.tsx';
import { Loading } from '../../components/ui/states.tsx';
import { InvestigationView } from './investigation-view.tsx';
import { investigationQuery } from './queries.ts';

export function InvestigationPage() {
  const { investigationId } = useParams({ from: '/signed-in/investigation/$investigationId' });
  const { data, error, refetch } = useQuery(investigationQuery(investigationId));
  // Keep showing what is there while the API is unreachable; the page says so itself.
  if (data !== undefined) return <InvestigationView key={investigationId} investigation={data} />;
  if (error === null) return <Loading lines={8} />;
  return (
    <PageFailed
      title="Investigation"
      what="investigations"
      scope="investigations:read"
      error={error}
      onRetry={() => void refetch()}
    />
  );
}
