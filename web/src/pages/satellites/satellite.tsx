import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router';
import { Trash2 } from 'lucide-react';
import { useState } from 'react';
import { api, dataOf } from '../../api/client.ts';
import { may, sessionQuery } from '../../api/session.ts';
import { PageFailed } from '../../app/fallbacks.tsx';
import { Button } from '../../components/ui/button.tsx';
import { Confirm } from '../../components/ui/dialog.tsx';
import { PageHead } from '../../components/ui/panel.tsx';
import { Loading } from '../../components/ui/states.tsx';
import { Tabs } from '../../components/ui/tabs.tsx';
import { Time } from '../../components/ui/time.tsx';
import { useToaster } from '../../components/ui/toast.tsx';
import { Clusters } from './clusters.tsx';
import { Connectors } from './connectors.tsx';
import { Dependencies } from './dependencies.tsx';
import { SatelliteBadge } from './marks.tsx';
import { satelliteQuery } from './queries.ts';
import { Tools } from './tools.tsx';

const route = getRouteApi('/signed-in/satellites/$satelliteId');

export function SatellitePage() {
  const { satelliteId } = route.useParams();
  const { tab, open } = route.useSearch();
  const navigate = route.useNavigate();
  const leave = useNavigate();
  const { data: session } = useQuery(sessionQuery);
  const teamId = session?.team.id ?? '';
  const isKnown = teamId !== '';
  const { data: satellite, error, refetch } = useQuery({ ...satelliteQuery(teamId, satelliteId), enabled: isKnown });
  const [isRemoving, setIsRemoving] = useState(false);
  const queryClient = useQueryClient();
  const toaster = useToaster();
  const remove = useMutation({
    mutationFn: () =>
      dataOf(
        api.DELETE('/satellite/{satellite_id}', {
          params: { path: { satellite_id: satelliteId }, query: { team_id: teamId } },
        }),
      ),
    onSuccess: async () => {
      await leave({ to: '/satellites' });
      toaster.say(`${satellite?.name ?? 'The satellite'} removed.`);
      await queryClient.invalidateQueries({ queryKey: ['satellites'] });
    },
    onError: toaster.fail,
  });
  if (satellite === undefined) {
    if (error === null) return <Loading lines={6} />;
    return (
      <PageFailed
        title="Satellite"
        what="satellites"
        scope="satellites:read"
        error={error}
        onRetry={() => void refetch()}
      />
    );
  }
  const { name, status, problems, version, labels, last_heartbeat: seenAt } = satellite;
  const tabs = [
    {
      value: 'graph',
      title: 'Services',
      content: (
        <Dependencies
          teamId={teamId}
          satelliteId={satelliteId}
          selected={open}
          onSelect={(service) => void navigate({ search: { tab, open: service }, replace: true })}
        />
      ),
    },
    { value: 'connectors', title: 'Connectors', content: <Connectors satellite={satellite} /> },
    {
      value: 'tools',
      title: `Tools (${satellite.tool_count})`,
      content: <Tools teamId={teamId} satellite={satellite} />,
    },
    { value: 'clusters', title: 'Clusters', content: <Clusters teamId={teamId} satelliteId={satelliteId} /> },
  ];
  return (
    <>
      <title>{`${name} · Casebook`}</title>
      <PageHead
        title={
          <>
            <bdi className="wrap-anywhere">{name}</bdi> <SatelliteBadge status={status} />
          </>
        }
        description={
          <>
            Version {version} · Last seen <Time at={seenAt} />
            {Object.entries(labels).map(([label, value]) => (
              <span key={label} className="wrap-anywhere">
                {' · '}
                <bdi>{`${label}=${value}`}</bdi>
              </span>
            ))}
            {' · '}
            <Link to="/satellites" className="underline">
              All satellites
            </Link>
          </>
        }
        actions={
          may(session, 'satellites:write') && (
            <Button variant="danger" onClick={() => setIsRemoving(true)}>
              <Trash2 aria-hidden size={16} /> Remove
            </Button>
          )
        }
      />
      {problems.length > 0 && (
        <ul className="mb-4 list-disc rounded-md bg-warn-soft py-2 pr-4 pl-8 text-warn">
          {problems.map((problem) => (
            <li key={problem} className="wrap-anywhere">
              {problem}
            </li>
          ))}
        </ul>
      )}
      <Tabs
        label={name}
        value={tabs.find(({ value }) => value === tab)?.value ?? 'graph'}
        onValueChange={(value) => void navigate({ search: { tab: value }, replace: true })}
        tabs={tabs}
      />
      <Confirm
        open={isRemoving}
        onOpenChange={setIsRemoving}
        title={`Remove ${name}?`}
        description="Its graph and inventory are deleted. If it connects again with a valid token, it reappears as a new satellite."
        action="Remove satellite"
        onConfirm={() => remove.mutate()}
      />
    </>
  );
}
