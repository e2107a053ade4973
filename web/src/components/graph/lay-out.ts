import { withDagre } from './dagre-layout.ts';
import { layered, type LayoutRequest } from './layered.ts';
import type { Position } from './types.ts';

/** Above this size the careful layout takes seconds; its cost is in calls that cross layers. */
const MAX_WITH_CARE = { services: 60, calls: 120 };

export const layOut = (request: LayoutRequest): Position[] =>
  request.size <= MAX_WITH_CARE.services && request.edges.length <= MAX_WITH_CARE.calls
    ? withDagre(request)
    : layered(request);
