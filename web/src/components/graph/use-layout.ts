/** Computes where the services of a graph go. */
import { useEffect, useMemo, useState } from 'react';
import { workerUrl } from '../../app/trusted.ts';
import { layOut } from './lay-out.ts';
import type { LayoutRequest } from './layered.ts';
// The bundler supplies the URL of the worker.
// oxlint-disable-next-line import/default
import layoutWorker from './layout.worker.ts?worker&url';
import type { Direction, Graph, Position } from './types.ts';

/** Up to this size a layout takes milliseconds and runs synchronously. */
const MAX_AT_ONCE = 40;

function requestOf({ services, calls }: Graph, direction: Direction): LayoutRequest {
  const numbers = new Map(services.map(({ name }, index) => [name, index]));
  return {
    size: services.length,
    edges: calls.map(({ caller, callee }) => [numbers.get(caller) ?? 0, numbers.get(callee) ?? 0]),
    direction,
  };
}

/** @returns positions in service order; undefined while they are computed */
export function useLayout(graph: Graph, direction: Direction | undefined): readonly Position[] | undefined {
  const request = useMemo(() => direction && requestOf(graph, direction), [graph, direction]);
  const atOnce = useMemo(
    () => (request && request.size <= MAX_AT_ONCE && request.edges.length <= MAX_AT_ONCE ? layOut(request) : undefined),
    [request],
  );
  const [worked, setWorked] = useState<{ request: LayoutRequest; positions: readonly Position[] }>();

  useEffect(() => {
    if (request === undefined || atOnce !== undefined) return undefined;
    const worker = new Worker(workerUrl(layoutWorker), { type: 'module' });
    worker.addEventListener('message', ({ data }: MessageEvent<Position[]>) => {
      setWorked({ request, positions: data });
      worker.terminate();
    });
    // If the worker does not start, lay out here.
    worker.addEventListener('error', () => setWorked({ request, positions: layOut(request) }));
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a worker has none
    worker.postMessage(request);
    return () => worker.terminate();
  }, [request, atOnce]);

  return atOnce ?? (worked !== undefined && worked.request === request ? worked.positions : undefined);
}
