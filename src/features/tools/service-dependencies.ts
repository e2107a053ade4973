import { z } from 'zod';
import { SourceError } from '../sources/port.ts';
import { edgesAmong, findCycles, reach, servicesOf } from './dependency-graph.ts';
import { serviceField, sourceField, windowFields } from './inputs.ts';
import type { ServiceDependenciesResult } from './results.ts';
import { defineSourceTool } from './source-tool.ts';
import { count } from './text.ts';
import { resolveWindow } from './window.ts';

const MOST_SERVICES = 60;
const MOST_EDGES = 100;
const MOST_CYCLES = 10;

/** `service_dependencies`: what a service depends on, and what depends on it. */
export const serviceDependencies = defineSourceTool({
  name: 'service_dependencies',
  description:
    'Walks the service dependency graph from one service: downstream (what it calls, where causes of its symptoms lie), upstream (what calls it) or impact (everything that can suffer when it fails, however far away). Gives depth and path of each service, the calls among them and cycles.',
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
    const all = await source.dependencies(window, { signal });
    const known = servicesOf(all);
    if (!known.includes(service)) {
      const names = known.slice(0, 40).join(', ');
      throw new SourceError(`No calls of "${service}" were observed. Services with calls: ${names || 'none'}.`);
    }
    const reached = reach(all, service, direction, input.depth);
    const services = reached.slice(0, MOST_SERVICES);
    const edges = edgesAmong(all, new Set([service, ...services.map(({ name }) => name)]));
    const cycles = findCycles(edges);
    const result: ServiceDependenciesResult = {
      source: input.source,
      service,
      direction,
      services,
      edges: edges
        .slice(0, MOST_EDGES)
        .map(({ caller, callee, callsPerSecond }) => ({ caller, callee, calls_per_second: callsPerSecond })),
      cycles: cycles.slice(0, MOST_CYCLES),
      truncated: reached.length > MOST_SERVICES || edges.length > MOST_EDGES || cycles.length > MOST_CYCLES,
    };
    return { result, digest: `${count(reached.length, 'service')} ${direction} of ${service}` };
  },
});
