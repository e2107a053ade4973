import type { z } from 'zod';
import type { Satellite } from './entities.ts';
import type { DependencyGraphResponse, DependencyEdge, DependencyQueryResponse } from './graph-schemas.ts';
import type { FoundDependencies, GraphEdge, ReachedService, SatelliteEdges } from './graph/index.ts';

const presentEdge = (edge: GraphEdge): z.input<typeof DependencyEdge> => ({
  caller: edge.caller,
  callee: edge.callee,
  calls_per_second: edge.callsPerSecond ?? null,
  error_ratio: edge.errorRatio ?? null,
  p50_seconds: edge.p50Seconds ?? null,
  p95_seconds: edge.p95Seconds ?? null,
  sources: edge.sources,
  stale: edge.stale,
  last_seen: edge.seenAt.toISOString(),
});

export function presentGraph(
  { id, name }: Pick<Satellite, 'id' | 'name'>,
  { edges, totals, asOf, truncated, truncatedAtSource }: SatelliteEdges,
): z.input<typeof DependencyGraphResponse> {
  const nodes = new Map<string, { name: string; callers: number; callees: number }>();
  const node = (service: string) => {
    const known = nodes.get(service) ?? { name: service, callers: 0, callees: 0 };
    nodes.set(service, known);
    return known;
  };
  for (const { caller, callee } of edges) {
    node(caller).callees++;
    node(callee).callers++;
  }
  return {
    satellite_id: id,
    satellite: name,
    nodes: [...nodes.values()].sort((a, b) => (a.name < b.name ? -1 : 1)),
    edges: edges.map(presentEdge),
    truncated: truncated || truncatedAtSource,
    total_nodes: totals.services,
    total_edges: totals.edges,
    as_of: asOf?.toISOString() ?? null,
  };
}

const presentService = ({ viaStale, impact, ...service }: ReachedService) => ({
  ...service,
  via_stale: viaStale,
  impact: impact
    ? { affected_share: impact.affectedShare, affected_calls_per_second: impact.affectedCallsPerSecond ?? null }
    : null,
});

export const presentUnknown = ({
  kind,
  message,
  satellite,
  edges,
  examples,
}: FoundDependencies['unknown'][number]) => ({
  kind,
  message,
  satellite: satellite ?? null,
  edges: edges ?? null,
  examples: examples ?? [],
});

export const presentDependencies = (answer: FoundDependencies): z.input<typeof DependencyQueryResponse> => ({
  service: answer.service,
  query_type: answer.type,
  depth: answer.depth ?? null,
  services: answer.services.map(presentService),
  edges: answer.edges.map(presentEdge),
  cycles: answer.cycles,
  totals: {
    services: answer.totals.services,
    edges: answer.totals.edges,
    cycles: answer.totals.cycles,
    affected_entry_calls_per_second: answer.totals.affectedEntryCallsPerSecond ?? null,
  },
  truncated: answer.truncated,
  as_of: answer.asOf ? { oldest: answer.asOf.oldest.toISOString(), newest: answer.asOf.newest.toISOString() } : null,
  satellites: answer.satellites.map(({ id, name, online, asOf, edges }) => ({
    id,
    name,
    online,
    as_of: asOf?.toISOString() ?? null,
    edges,
  })),
  unknown: answer.unknown.map(presentUnknown),
});
