import { useQuery } from '@tanstack/react-query';
import { RefreshCw } from 'lucide-react';
import { useMemo } from 'react';
import { formatValue } from '../../components/chart/units.ts';
import { ServiceGraph } from '../../components/graph/service-graph.tsx';
import { Button } from '../../components/ui/button.tsx';
import { count } from '../../components/ui/numbers.ts';
import { Panel } from '../../components/ui/panel.tsx';
import { Empty, Failed, Loading } from '../../components/ui/states.tsx';
import { Time } from '../../components/ui/time.tsx';
import { callsOf } from './figures.ts';
import { graphQuery, impactQuery } from './queries.ts';

export interface DependenciesProps {
  teamId: string;
  satelliteId: string;
  /** The service whose failure is examined; the page keeps it in its address. */
  selected: string | undefined;
  onSelect: (service: string) => void;
}

/** The live dependency graph of one satellite, and what the failure of the selected service affects. */
export function Dependencies({ teamId, satelliteId, selected, onSelect }: DependenciesProps) {
  const { data: graph, error, refetch, isFetching } = useQuery(graphQuery(teamId, satelliteId));
  const calls = useMemo(() => graph?.edges.map(callsOf) ?? [], [graph]);
  if (error !== null && graph === undefined) return <Failed error={error} onRetry={() => void refetch()} />;
  if (graph === undefined) return <Loading lines={6} />;
  if (graph.total_edges === 0)
    return (
      <Empty title="No calls between services seen yet">
        Casebook reads them from service-graph or mesh metrics in Prometheus, or from traces sent to the OTLP receiver.
      </Empty>
    );
  return (
    <div className="grid items-start gap-4 lg:grid-cols-[minmax(0,1fr)_20rem]">
      <Panel
        title={`${count(graph.total_nodes, 'service')}, ${count(graph.total_edges, 'call')}`}
        actions={
          <>
            {graph.as_of !== null && (
              <span className="text-sm text-ink-soft">
                As of <Time at={graph.as_of} />
              </span>
            )}
            <Button size="small" disabled={isFetching} onClick={() => void refetch()}>
              <RefreshCw aria-hidden size={14} /> Refresh
            </Button>
          </>
        }
      >
        {graph.truncated && <p className="mb-2 text-sm text-warn">Only the {calls.length} busiest calls are drawn.</p>}
        <ServiceGraph
          label="Services and their calls"
          services={graph.nodes}
          calls={calls}
          selected={selected}
          onSelect={onSelect}
          height={560}
        />
      </Panel>
      <Panel title={selected === undefined ? 'Impact' : <bdi className="wrap-anywhere">{selected}</bdi>}>
        {selected === undefined ? (
          <p className="text-ink-soft">Select a service to see what its failure affects.</p>
        ) : (
          <Impact teamId={teamId} satelliteId={satelliteId} service={selected} onSelect={onSelect} />
        )}
      </Panel>
    </div>
  );
}

function Impact(props: { teamId: string; satelliteId: string; service: string; onSelect: (name: string) => void }) {
  const { teamId, satelliteId, service, onSelect } = props;
  const { data, error, refetch } = useQuery(impactQuery(teamId, satelliteId, service));
  if (error !== null) return <Failed error={error} onRetry={() => void refetch()} />;
  if (data === undefined) return <Loading />;
  if (data.services.length === 0) return <p className="text-ink-soft">No other service depends on it.</p>;
  return (
    <>
      <p className="mb-2 text-sm text-ink-soft">
        {count(data.totals.services, 'service is', 'services are')} affected when it fails. Percentages are upper
        bounds.
      </p>
      <ul className="divide-y text-sm">
        {data.services.map(({ name, depth, path, impact }) => (
          <li key={name} className="py-1.5">
            <div className="flex items-baseline gap-2">
              <button
                type="button"
                className="min-w-0 flex-1 text-left font-medium wrap-anywhere hover:underline"
                onClick={() => onSelect(name)}
              >
                {name}
              </button>
              {impact !== null && <span className="tabular-nums">{formatValue(impact.affected_share, 'ratio')}</span>}
            </div>
            <p className="wrap-anywhere text-ink-soft">
              {depth === 1 ? 'Calls it directly' : `Through ${path.slice(1, -1).join(', ')}`}
              {impact?.affected_calls_per_second != null &&
                ` · ${formatValue(impact.affected_calls_per_second, '{calls}/s')}`}
            </p>
          </li>
        ))}
      </ul>
    </>
  );
}
