import { useQuery } from '@tanstack/react-query';
import { Panel } from '../../components/ui/panel.tsx';
import { Empty, Failed, Loading } from '../../components/ui/states.tsx';
import { Table } from '../../components/ui/table.tsx';
import { Time } from '../../components/ui/time.tsx';
import { clustersQuery, type Cluster } from './queries.ts';

/** The Kubernetes clusters a satellite sees. */
export function Clusters({ teamId, satelliteId }: { teamId: string; satelliteId: string }) {
  const { data: clusters, error, refetch } = useQuery(clustersQuery(teamId, satelliteId));
  if (error !== null && clusters === undefined) return <Failed error={error} onRetry={() => void refetch()} />;
  if (clusters === undefined) return <Loading />;
  if (clusters.length === 0) return <Empty title="No clusters">Add a Kubernetes connector to see clusters.</Empty>;
  return (
    <div className="flex flex-col gap-4">
      {clusters.map((cluster) => (
        <ClusterPanel key={`${cluster.connector}/${cluster.name}`} cluster={cluster} />
      ))}
    </div>
  );
}

function ClusterPanel({ cluster }: { cluster: Cluster }) {
  const { name, version, nodes, namespaces, workloads, pods, problems, observed_at: at } = cluster;
  const figures = [
    ['Nodes ready', `${nodes.ready} of ${nodes.total}`],
    ['Workloads available', `${workloads.available} of ${workloads.total}`],
    ['Pods running', `${pods.running} of ${pods.total}`],
    ['Pods pending', pods.pending],
    ['Pods failed', pods.failed],
    ['Restarts', pods.restarts],
    ['Namespaces', namespaces],
  ] as const;
  return (
    <Panel
      title={<span className="wrap-anywhere">{`${name}${version === null ? '' : ` · ${version}`}`}</span>}
      actions={
        <span className="text-sm text-ink-soft">
          Seen <Time at={at} />
        </span>
      }
    >
      <dl className="mb-4 grid grid-cols-[repeat(auto-fill,minmax(9rem,1fr))] gap-3">
        {figures.map(([title, figure]) => (
          <div key={title}>
            <dt className="text-sm text-ink-soft">{title}</dt>
            <dd className="text-lg font-semibold tabular-nums">{figure}</dd>
          </div>
        ))}
      </dl>
      {problems.length === 0 ? (
        <p className="text-good">No problems.</p>
      ) : (
        <Table
          label={`Problems in ${name}`}
          rows={problems}
          keyOf={({ kind, namespace, name, reason }) => `${kind}/${namespace}/${name}/${reason}`}
          columns={[
            {
              title: 'Resource',
              cell: ({ kind, namespace, name }) => (
                <span className="wrap-anywhere">
                  {kind} <bdi>{`${namespace === null ? '' : `${namespace}/`}${name}`}</bdi>
                </span>
              ),
            },
            {
              title: 'Reason',
              cell: ({ reason }) => <span className="inline-block min-w-36 wrap-anywhere">{reason}</span>,
            },
            {
              title: 'Message',
              isMinor: true,
              cell: ({ message }) => <span className="wrap-anywhere">{message}</span>,
            },
          ]}
        />
      )}
    </Panel>
  );
}
