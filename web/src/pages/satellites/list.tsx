import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { may, sessionQuery } from '../../api/session.ts';
import { useListKeys } from '../../app/list-keys.ts';
import { count } from '../../components/ui/numbers.ts';
import { PageHead } from '../../components/ui/panel.tsx';
import { Empty, Failed, Loading } from '../../components/ui/states.tsx';
import { Time } from '../../components/ui/time.tsx';
import { Enrolment } from './enrolment.tsx';
import { SatelliteBadge } from './marks.tsx';
import { satellitesQuery, type Satellite } from './queries.ts';

export function SatellitesPage() {
  const { data: session } = useQuery(sessionQuery);
  const teamId = session?.team.id ?? '';
  const { data: satellites, error, refetch } = useQuery({ ...satellitesQuery(teamId), enabled: teamId !== '' });
  const mayWrite = may(session, 'satellites:write');
  const list = useListKeys<HTMLUListElement>();
  return (
    <>
      <title>Satellites · Casebook</title>
      <PageHead
        title="Satellites"
        description="Satellites run in your network, connect outbound only, and answer queries about its systems."
      />
      {error !== null && <Failed error={error} onRetry={() => void refetch()} />}
      {satellites === undefined && error === null && <Loading lines={5} />}
      {satellites?.length === 0 && (
        <Empty title="No satellites yet">
          {mayWrite
            ? 'Create an enrolment token below, then start a satellite near your telemetry.'
            : 'Ask someone who can enrol satellites for a token.'}
        </Empty>
      )}
      {satellites !== undefined && satellites.length > 0 && (
        <ul ref={list} aria-label="Satellites" className="divide-y overflow-hidden rounded-lg border bg-surface">
          {satellites.map((satellite) => (
            <Row key={satellite.id} satellite={satellite} />
          ))}
        </ul>
      )}
      {may(session, 'satellites:read') && <Enrolment teamId={teamId} isAdmin={mayWrite} />}
    </>
  );
}

function Row({ satellite }: { satellite: Satellite }) {
  const { id, name, status, version, connectors, tool_count: tools, last_heartbeat: seenAt, problems } = satellite;
  return (
    <li className="relative flex flex-wrap items-baseline gap-x-3 gap-y-1 px-4 py-3 hover:bg-sunken has-[a:focus-visible]:bg-accent-soft">
      <div className="min-w-0 flex-1 basis-64">
        <Link
          to="/satellites/$satelliteId"
          params={{ satelliteId: id }}
          className="font-medium wrap-anywhere after:absolute after:inset-0"
        >
          {name}
        </Link>
        <p className="line-clamp-2 text-sm wrap-anywhere text-ink-soft">
          {problems[0] ??
            `${connectors.map(({ id }) => id).join(', ') || 'No connectors'}${tools > 0 ? `, ${count(tools, 'tool')}` : ''}`}
        </p>
      </div>
      <div className="flex items-center gap-3 text-sm text-ink-soft">
        <span className="max-w-32 truncate">{version}</span>
        <span>
          <span className="sr-only">Last seen </span>
          <Time at={seenAt} />
        </span>
        <SatelliteBadge status={status} />
      </div>
    </li>
  );
}
