/** Responses of the dependency graph's endpoints. */
import { z } from 'zod';
import type { Satellite } from './entities.ts';
import {
  DEPENDENCY_QUERIES,
  UNKNOWN_KINDS,
  type FoundDependencies,
  type GraphEdge,
  type ReachedService,
  type SatelliteEdges,
} from './graph/index.ts';

const time = z.iso.datetime();
const figure = z.number().nullable();

export const DependencyEdge = z
  .object({
    caller: z.string(),
    callee: z.string(),
    calls_per_second: figure,
    error_ratio: figure.meta({ description: 'Failed calls divided by all calls, 0 to 1.' }),
    p50_seconds: figure,
    p95_seconds: figure,
    sources: z.array(z.string()).meta({ description: 'Where it was seen: metrics of a mesh or of traces, spans.' }),
    stale: z.boolean().meta({ description: 'No call was seen for a while; if that lasts, the edge is removed.' }),
    last_seen: time,
  })
  .meta({ id: 'DependencyEdge' });

export const DependencyGraphResponse = z
  .object({
    satellite_id: z.uuid(),
    satellite: z.string(),
    nodes: z
      .array(z.object({ name: z.string(), callers: z.number().int(), callees: z.number().int() }))
      .meta({ description: 'The services of these edges, with the number of edges to and from each.' }),
    edges: z.array(DependencyEdge).meta({ description: 'Most called first.' }),
    truncated: z.boolean().meta({ description: 'Whether there are more edges than these.' }),
    total_nodes: z.number().int(),
    total_edges: z.number().int(),
    as_of: time.nullable().meta({ description: 'When the satellite last confirmed its graph; null if it sent none.' }),
  })
  .meta({ id: 'DependencyGraphResponse' });

export const DependencyQueryResponse = z
  .object({
    service: z.string(),
    query_type: z.enum(DEPENDENCY_QUERIES),
    depth: z.number().int().nullable(),
    services: z
      .array(
        z.object({
          name: z.string(),
          depth: z.number().int().meta({ description: 'Number of calls between it and the service in question.' }),
          path: z.array(z.string()).meta({ description: 'A shortest path from the service in question to this one.' }),
          via_stale: z.boolean().meta({ description: 'Every shortest path contains a stale edge.' }),
          satellites: z.array(z.string()),
          impact: z
            .object({
              affected_share: z
                .number()
                .meta({ description: 'Share of its work, 0 to 1: an upper estimate from call rates.' }),
              affected_calls_per_second: figure,
            })
            .nullable()
            .meta({ description: 'Of get_impact.' }),
        }),
      )
      .meta({ description: 'Nearest first, then most affected calls.' }),
    edges: z.array(DependencyEdge).meta({ description: 'Among these services and the one in question.' }),
    cycles: z.array(z.array(z.string())).meta({ description: 'Services that call each other in a cycle.' }),
    totals: z.object({
      services: z.number().int(),
      edges: z.number().int(),
      cycles: z.number().int(),
      affected_entry_calls_per_second: figure.meta({
        description: 'For get_impact: affected calls of the services without callers, where requests enter.',
      }),
    }),
    truncated: z.boolean(),
    as_of: z
      .object({ oldest: time, newest: time })
      .nullable()
      .meta({ description: 'When the graphs used were last confirmed.' }),
    satellites: z.array(
      z.object({
        id: z.uuid(),
        name: z.string(),
        online: z.boolean(),
        as_of: time.nullable(),
        edges: z.number().int(),
      }),
    ),
    unknown: z
      .array(
        z.object({
          kind: z.enum(UNKNOWN_KINDS),
          message: z.string(),
          satellite: z.string().nullable(),
          edges: z.number().int().nullable(),
          examples: z.array(z.object({ caller: z.string(), callee: z.string() })),
        }),
      )
      .meta({ description: 'What is unknown, and may therefore be missing from the answer.' }),
  })
  .meta({ id: 'DependencyQueryResponse' });

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
