import { withDagre } from './dagre-layout.ts';
import { layered, type LayoutRequest } from './layered.ts';
import type { Position } from './types.ts';

/** Above this the careful layout takes seconds. */
const MOST_WITH_CARE = 300;

export const layOut = (request: LayoutRequest): Position[] =>
  request.size <= MOST_WITH_CARE && request.edges.length <= 3 * MOST_WITH_CARE ? withDagre(request) : layered(request);
