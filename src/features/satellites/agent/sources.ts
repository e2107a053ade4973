/** The systems behind a team's satellites as telemetry sources: `satellite:NAME/CONNECTOR`, and `satellite:NAME/graph`. */
import { LRUCache } from 'lru-cache';
import {
  createLokiSource,
  createPrometheusSource,
  createScrapeIntervals,
  SourceError,
  type ScrapeIntervals,
  type SourceCall,
  type TelemetrySource,
} from '../../sources/index.ts';
import type { ConnectorInventory } from '@casebook/wire';
import { createGraphSource } from './graph-source.ts';
import type { KnownSatellite, SatelliteAccess } from './port.ts';
import { requestIdsOf } from './request-ids.ts';
import { overSatellite, type Asking } from './transport.ts';
import { offlineWords } from './words.ts';

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

  const sourceOf = (asking: Asking, satellite: KnownSatellite, { id: connector, kind }: ConnectorInventory) => {
    const id = `satellite:${satellite.name}/${connector}`;
    const transport = overSatellite(asking, satellite, connector);
    if (kind === 'loki') return bounded(createLokiSource({ transport, id, owner: 'team' }), satellite);
    const source = createPrometheusSource({
      transport,
      id,
      owner: 'team',
      clock: asking.clock,
      intervals: intervalsOf(satellite.id, connector),
    });
    const liveGraph = satellite.hasGraph && (() => graph(asking.teamId, satellite.id));
    return bounded({ ...source, ...(liveGraph && { liveGraph }) }, satellite);
  };

  return (call, satellites) => {
    const asking: Asking = { ...call, calls, idOf: requestIdsOf(call.toolCallId) };
    return satellites.flatMap((satellite) => {
      const { connectors } = satellite.inventory;
      const found = (['prometheus', 'loki'] as const).flatMap((kind) =>
        connectors
          .filter((connector) => connector.kind === kind)
          .map((connector) => sourceOf(asking, satellite, connector)),
      );
      const ofGraph = createGraphSource(satellite, () => graph(call.teamId, satellite.id));
      // A customer may name a connector `graph`; the graph is then available through the metrics.
      const isTaken = found.some(({ id }) => id === ofGraph.id);
      return satellite.hasGraph && !isTaken ? [...found, ofGraph] : found;
    });
  };
}

/** A source whose satellite is away says so at once, and a slow one within a bound. */
function bounded(source: TelemetrySource, satellite: KnownSatellite): TelemetrySource {
  return {
    ...source,
    async describe({ signal }) {
      if (!satellite.online) throw new SourceError(offlineWords(satellite));
      const timeout = AbortSignal.timeout(DESCRIBE_MS);
      try {
        return await source.describe({ signal: AbortSignal.any([signal, timeout]) });
      } catch (error) {
        if (signal.aborted || !timeout.aborted) throw error;
        throw new SourceError(`Satellite ${satellite.name} did not answer within ${DESCRIBE_MS / 1_000} s.`);
      }
    },
  };
}
