import { z } from 'zod';
import { SourceError, type LiveEdge, type LiveGraph, type ServiceEdge, type TimeWindow } from '../../sources/port.ts';
import type { ServiceDependenciesResult } from '../results.ts';
import { count } from '../text.ts';
import { toIso } from '../time.ts';
import { edgesAmong, findCycles, reach, servicesOf } from './dependency-graph.ts';
import { serviceField, sourceField, windowFields, defineSourceTool, type SourceWith } from './source-tool.ts';
import { resolveWindow } from './window.ts';

const MAX_SERVICES = 60;
const MAX_EDGES = 100;
const MAX_CYCLES = 10;

/** `service_dependencies`: what a service depends on, and what depends on it. */
export const serviceDependencies = defineSourceTool({
  name: 'service_dependencies',
  description:
    'Walks the service dependency graph from one service: downstream (what it calls, where causes of its symptoms lie), upstream (what calls it) or impact (everything that can suffer when it fails, however far away). Gives depth and path of each service, the calls among them and cycles. Without from and to it answers from the live graph where a source has one, and says as of when and which calls were not seen lately.',
  input: z.strictObject({
    source: sourceField,
    service: serviceField.describe('The service to start from.'),
    direction: z.enum(['downstream', 'upstream', 'impact']).default('downstream'),
    depth: z.number().int().min(1).max(20).default(4).describe('Most calls away; not used for impact. 4 by default.'),
    from: windowFields.from,
    to: windowFields.to,
  }),
  needs: { capability: 'dependencies', method: 'dependencies' },
  summarize: ({ service, direction }) => `Dependencies of ${service}: ${direction}`,
  async answer(input, source, { clock, signal }) {
    const { service, direction } = input;
    const description = await source.describe({ signal });
    const window = resolveWindow(input, description, clock.now().getTime() / 1000);
    const isNow = input.from === undefined && input.to === undefined;
    const { live, edges: all } = await graphOf(source, isNow, window, signal);
    const known = servicesOf(all);
    if (!known.includes(service)) {
      const names = known.slice(0, 40).join(', ');
      throw new SourceError(`No calls of "${service}" were observed. Services with calls: ${names || 'none'}.`);
    }
    const reached = reach(all, service, direction, input.depth);
    const services = reached.slice(0, MAX_SERVICES);
    const edges = edgesAmong(all, new Set([service, ...services.map(({ name }) => name)]));
    const cycles = findCycles(edges);
    const notes = live ? notesOn(live, edges) : [];
    const result: ServiceDependenciesResult = {
      source: input.source,
      service,
      direction,
      services,
      edges: edges.slice(0, MAX_EDGES).map(present),
      cycles: cycles.slice(0, MAX_CYCLES),
      truncated: reached.length > MAX_SERVICES || edges.length > MAX_EDGES || cycles.length > MAX_CYCLES,
      ...(live && { as_of: toIso(live.asOf) }),
      ...(notes.length > 0 && { notes }),
    };
    return { result, digest: `${count(reached.length, 'service')} ${direction} of ${service}` };
  },
});

/** The live graph for a question about now; for a window, only if nothing was recorded in it. */
async function graphOf(
  source: SourceWith<'dependencies'>,
  isNow: boolean,
  window: TimeWindow,
  signal: AbortSignal,
): Promise<{ live?: LiveGraph; edges: readonly (ServiceEdge & Partial<LiveEdge>)[] }> {
  const liveGraph = async (): Promise<LiveGraph | undefined> => {
    const live = await source.liveGraph?.({ signal });
    return live && live.edges.length > 0 ? live : undefined;
  };
  const first = isNow ? await liveGraph() : undefined;
  if (first) return { live: first, edges: first.edges };
  const observed = await source.dependencies(window, { signal });
  const live = observed.length === 0 && !isNow ? await liveGraph() : undefined;
  return live ? { live, edges: live.edges } : { edges: observed };
}

function present(edge: ServiceEdge & Partial<LiveEdge>): ServiceDependenciesResult['edges'][number] {
  const { caller, callee, callsPerSecond, errorRatio, p95Seconds, stale } = edge;
  return {
    caller,
    callee,
    calls_per_second: callsPerSecond,
    error_ratio: errorRatio,
    p95_seconds: p95Seconds,
    ...(stale && { stale }),
  };
}

function notesOn({ truncated }: LiveGraph, edges: readonly (ServiceEdge & Partial<LiveEdge>)[]): string[] {
  const stale = edges.filter((edge) => edge.stale).length;
  return [
    ...(truncated ? ['The graph has more calls than were looked at: services may be missing.'] : []),
    ...(stale > 0
      ? [`${count(stale, 'call')} among these services ${stale === 1 ? 'was' : 'were'} not seen lately.`]
      : []),
  ];
}
