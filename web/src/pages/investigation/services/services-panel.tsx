import { useQuery } from '@tanstack/react-query';
import { lazy, Suspense, useState } from 'react';
import { Panel } from '../../../components/ui/panel.tsx';
import { Failed, Loading } from '../../../components/ui/states.tsx';
import { wholeTime } from '../../../components/ui/time.tsx';
import { graphQuery, type Graph } from '../queries.ts';
import { ServiceNote } from './service-note.tsx';
import { toCall, toService } from './to-graph.ts';

const ServiceGraph = lazy(() =>
  import('../../../components/graph/service-graph.tsx').then((module) => ({ default: module.ServiceGraph })),
);

const HEIGHT = 400;

/** The services around the suspect, and the path of the fault. */
export function ServicesPanel({ id }: { id: string }) {
  const { data, error, refetch } = useQuery(graphQuery(id));
  return (
    <Panel title="Services around the suspect">
      {error !== null && <Failed error={error} onRetry={() => void refetch()} />}
      {error === null && data === undefined && (
        <div style={{ minHeight: HEIGHT }}>
          <Loading lines={4} />
        </div>
      )}
      {data !== undefined && <Services graph={data} />}
    </Panel>
  );
}

function Services({ graph }: { graph: Graph }) {
  const [selected, setSelected] = useState<string | undefined>(graph.suspect ?? undefined);
  const { services, calls, fault_path, notes, truncated, is_tentative } = graph;
  const asOf = calls
    .flatMap((call) => call.figures_as_of ?? [])
    .toSorted()
    .at(-1);
  const service = services.find(({ name }) => name === selected);
  if (services.length === 0) return <p className="text-ink-soft">The run did not check the service graph.</p>;
  return (
    <div className="flex flex-col gap-3">
      {fault_path.length > 1 && (
        <p className="text-sm">
          <span className="text-ink-soft">
            Fault path, from the symptom to {is_tentative ? 'the suspect' : 'the cause'}:{' '}
          </span>
          <span className="font-medium break-words">{fault_path.join(' → ')}</span>
        </p>
      )}
      <Suspense fallback={<div style={{ height: HEIGHT }} />}>
        <ServiceGraph
          services={services.map((each) => toService(each, is_tentative))}
          calls={calls.map(toCall)}
          height={HEIGHT}
          label="Services around the suspect"
          onSelect={setSelected}
          {...(selected !== undefined && { selected })}
        />
      </Suspense>
      {service !== undefined && <ServiceNote service={service} isCause={service.role === 'suspect' && !is_tentative} />}
      {asOf !== undefined && (
        <p className="text-sm text-ink-soft">
          Call metrics are live-graph averages up to {wholeTime(new Date(asOf))}. Figures in the report cover the
          incident.
        </p>
      )}
      {[...notes, ...(truncated ? ['Some known services and calls are not shown.'] : [])].map((note) => (
        <p key={note} className="text-sm text-ink-soft">
          {note}
        </p>
      ))}
    </div>
  );
}
