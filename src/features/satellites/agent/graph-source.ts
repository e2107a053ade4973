import { SourceError, type LiveGraph, type SourceCapability, type TelemetrySource } from '../../sources/index.ts';
import type { KnownSatellite } from './port.ts';

const capabilities: SourceCapability[] = ['services', 'dependencies'];

/** A satellite's stored dependency graph: it can be queried while the satellite is away. */
export function createGraphSource(
  { name }: KnownSatellite,
  load: () => Promise<LiveGraph | undefined>,
): TelemetrySource {
  const id = `satellite:${name}/graph`;
  const kind = 'dependency-graph';
  const graph = async (): Promise<LiveGraph> => {
    const found = await load();
    if (found) return found;
    throw new SourceError(`Satellite ${name} has sent no dependency graph yet.`);
  };
  return {
    id,
    owner: 'team',
    kind,
    capabilities,
    describe: async () => ({
      id,
      kind,
      title: `Live dependency graph of satellite ${name}`,
      capabilities,
      alerts: [],
    }),
    services: async () => {
      const { edges } = await graph();
      const names = new Set(edges.flatMap(({ caller, callee }) => [caller, callee]));
      return [...names].sort().map((service) => ({ name: service, metrics: 0 }));
    },
    dependencies: async () => (await graph()).edges,
    liveGraph: graph,
  };
}
