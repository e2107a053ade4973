import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { Unplug } from 'lucide-react';
import { api, dataOf } from '../api/client.ts';
import { may, type Session } from '../api/session.ts';

/** The team's telemetry sources. */
export const sourcesQuery = {
  queryKey: ['sources'],
  queryFn: ({ signal }: { signal: AbortSignal }) => dataOf(api.GET('/api/sources', { signal })),
};

/** Whether the session may list the sources: reading any kind of run suffices. */
export const mayListSources = (session: Session | null | undefined): boolean =>
  ['investigations:read', 'chats:read', 'monitoring:read'].some((scope) => may(session, scope));

/** Tells a team without a telemetry source how to connect one; nothing for any other team. */
export function ConnectSource() {
  const { data } = useQuery(sourcesQuery);
  if (data === undefined || data.sources.length > 0) return null;
  return (
    <p
      role="note"
      className="mb-4 flex gap-2.5 rounded-lg border border-warn bg-warn-soft px-4 py-3 text-left text-warn"
    >
      <Unplug aria-hidden size={18} className="mt-0.5 shrink-0" />
      <span className="min-w-0 break-words">
        <strong className="font-semibold">No telemetry source is connected,</strong> so no cause can be found.{' '}
        <Link to="/integrations" className="underline">
          Connect a database or a vendor
        </Link>
        , set <code>PROMETHEUS_URL</code> or <code>LOKI_URL</code> for the installation, or{' '}
        <Link to="/satellites" className="underline">
          enrol a satellite
        </Link>{' '}
        in your own network.
      </span>
    </p>
  );
}
