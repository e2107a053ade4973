/** The systems behind a team's satellites as telemetry sources: `satellite:NAME/CONNECTOR`, and `satellite:NAME/graph`. */
import type { ConnectorInventory } from '@casebook/wire';
import { LRUCache } from 'lru-cache';
import {
  createLokiSource,
  createPrometheusSource,
  createScrapeIntervals,
  createTraceSource,
  type LiveGraph,
  type ScrapeIntervals,
  type SourceCall,
  type SourceCapability,
  SourceError,
  type TelemetrySource,
} from '../../sources/index.ts';
import { sourceIdOf, type KnownSatellite, type SatelliteAccess } from './port.ts';
import { type Asking, overSatellite, requestIdsOf } from './transport.ts';

/** Describing one source must not delay the list of all. */
const DESCRIBE_MS = 10_000;

/**
 * @returns a factory of the sources behind satellites for one tool call; metrics come first, since causes are sought in
 *   them
 */
export function satelliteSources({
  calls,
  graph,
}: Pick<SatelliteAccess, 'calls' | 'graph'>): (call: SourceCall, satellites: KnownSatellite[]) => TelemetrySource[] {
  const intervals = new LRUCache<string, ScrapeIntervals>({ max: 1_000 });
  const intervalsOf = (satelliteId: string, connector: string): ScrapeIntervals => {
    const key = `${satelliteId}/${connector}`;
    const known = intervals.get(key) ?? createScrapeIntervals();
    intervals.set(key, known);
    return known;
  };

  const sourceOf = (
    asking: Asking,
    satellite: KnownSatellite,
    { id: connector, kind }: ConnectorInventory,
  ): TelemetrySource => {
    const sourceWithin = (timeoutMs?: number): TelemetrySource => {
      const id = sourceIdOf(satellite.name, connector);
      const transport = overSatellite(asking, satellite, connector, timeoutMs);
      const shared = { transport, id, owner: 'team' } as const;
      if (kind === 'loki') return createLokiSource(shared);
      if (kind === 'jaeger' || kind === 'tempo') return createTraceSource({ ...shared, kind });
      const intervals = intervalsOf(satellite.id, connector);
      return createPrometheusSource({ ...shared, clock: asking.clock, intervals });
    };
    const source = sourceWithin();
    const { describe } = sourceWithin(DESCRIBE_MS);
    const isGraph = satellite.hasGraph && kind === 'prometheus';
    return { ...source, describe, ...(isGraph && { liveGraph: () => graph(asking.teamId, satellite.id) }) };
  };

  return (call, satellites) => {
    const asking: Asking = { ...call, calls, idOf: requestIdsOf(call.toolCallId) };
    return satellites.flatMap((satellite) => {
      const { connectors } = satellite.inventory;
      const found = (['prometheus', 'loki', 'jaeger', 'tempo'] as const).flatMap((kind) =>
        connectors
          .filter((connector) => connector.kind === kind && canBeSource(connector))
          .map((connector) => sourceOf(asking, satellite, connector)),
      );
      const ofGraph = createGraphSource(satellite, () => graph(call.teamId, satellite.id));
      // A customer may name a connector `graph`; the graph is then available through the metrics.
      const isTaken = found.some(({ id }) => id === ofGraph.id);
      return satellite.hasGraph && !isTaken ? [...found, ofGraph] : found;
    });
  };
}

/** Satellites of earlier versions have connectors of Jaeger and Tempo that serve the graph and the model only. */
function canBeSource({ kind, operations }: ConnectorInventory): boolean {
  const isTraces = kind === 'jaeger' || kind === 'tempo';
  return !isTraces || operations.some(({ name }) => name === 'search_traces');
}

const capabilities: SourceCapability[] = ['services', 'dependencies'];

/** A satellite's stored dependency graph: it can be queried while the satellite is away. */
export function createGraphSource(
  { name }: KnownSatellite,
  load: () => Promise<LiveGraph | undefined>,
): TelemetrySource {
  const id = sourceIdOf(name, 'graph');
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
