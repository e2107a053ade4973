/** The page of one investigation: what is going on, what was found, and on what evidence. */
import { useQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import { ApiError } from '../../api/client.ts';
import { NotFoundPage } from '../../app/fallbacks.tsx';
import { Empty, Failed, Loading } from '../../components/ui/states.tsx';
import { PageHead } from '../../components/ui/panel.tsx';
import { InvestigationView } from './investigation-view.tsx';
import { investigationQuery } from './queries.ts';

export function InvestigationPage() {
  const { investigationId } = useParams({ from: '/signed-in/investigation/$investigationId' });
  const { data, error, refetch } = useQuery(investigationQuery(investigationId));
  // What is there stays there while the API is away: it says so itself.
  if (data !== undefined) return <InvestigationView key={investigationId} investigation={data} />;
  if (error === null) return <Loading lines={8} />;
  // An id that is no UUID is as unknown as one that nobody has.
  if (error instanceof ApiError && (error.status === 404 || error.status === 422)) return <NotFoundPage />;
  return (
    <>
      <title>Investigation · Casebook</title>
      <PageHead title="Investigation" />
      {error instanceof ApiError && error.status === 403 ? (
        <Empty title="You may not read investigations">
          Your session lacks the scope <code>investigations:read</code>. An admin of your team can give it to you.
        </Empty>
      ) : (
        <Failed error={error} onRetry={() => void refetch()} />
      )}
    </>
  );
}
