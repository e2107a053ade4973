/** A graph of page elements, each reachable by keyboard. */
import {
  MarkerType,
  Position as Side,
  ReactFlow,
  ReactFlowProvider,
  useReactFlow,
  ViewportPortal,
  type Edge,
  type Node,
} from '@xyflow/react';
import '@xyflow/react/dist/base.css';
import './graph.css';
import {
  useEffectEvent,
  useImperativeHandle,
  useLayoutEffect,
  useMemo,
  useRef,
  useState,
  type FocusEvent,
} from 'react';
import { opening, showing, type Camera } from './camera.ts';
import { endsOf, onCurve } from './edges.ts';
import { placeLabels, type Label } from './labels.ts';
import { mostImportant } from './neighbourhood.ts';
import { ServiceNode, type ServiceNodeData } from './service-node.tsx';
import { LaidOut, type Places } from './laid-out.tsx';
import { BOX, type Direction, type Graph, type GraphCall, type Position } from './types.ts';
import type { DrawingProps } from './view.ts';
import { figuresOf } from './words.ts';

const NODE_TYPES = { service: ServiceNode };
const FIT = { padding: 0.06, maxZoom: 1.25 } as const;

export const Flow = (props: DrawingProps) => (
  <LaidOut graph={props.graph}>
    {(places) => (
      <ReactFlowProvider key={places.direction}>
        <Drawn {...props} {...places} />
      </ReactFlowProvider>
    )}
  </LaidOut>
);

function Drawn({ ref, graph, selected, found, onSelect, positions, direction }: DrawingProps & Places) {
  const flow = useReactFlow();
  const isCalm = useMemo(() => matchMedia('(prefers-reduced-motion: reduce)').matches, []);
  const duration = isCalm ? 0 : 250;
  useImperativeHandle(
    ref,
    () => ({
      zoom: (by) => void flow.zoomTo(flow.getZoom() * by, { duration }),
      pan: (x, y) => {
        const viewport = flow.getViewport();
        void flow.setViewport({ ...viewport, x: viewport.x + x, y: viewport.y + y });
      },
      fit: () => void flow.fitView({ ...FIT, duration }),
      goTo: (name) => void flow.fitView({ nodes: [{ id: name }], maxZoom: 1, duration }),
    }),
    [flow, duration],
  );
  const nodes = useMemo(
    () => nodesOf(graph, positions, { direction, selected, found, onSelect }),
    [graph, positions, direction, selected, found, onSelect],
  );
  const edges = useMemo(() => graph.calls.map((call) => edgeOf(call, { selected, isCalm })), [graph, selected, isCalm]);
  const labels = useMemo(
    () => labelsOf(graph, positions, { direction, selected }),
    [graph, positions, direction, selected],
  );
  const box = useRef<HTMLDivElement>(null);
  const [viewport, setViewport] = useState<Camera>();
  const open = useEffectEvent(() => {
    const { clientWidth: width = 0, clientHeight: height = 0 } = box.current ?? {};
    const path = graph.calls.filter(({ onFaultPath }) => onFaultPath).flatMap(({ caller, callee }) => [caller, callee]);
    const focus = [selected ?? mostImportant(graph.services), ...path].flatMap(
      (wanted) => positions[graph.services.findIndex(({ name }) => name === wanted)] ?? [],
    );
    const next = opening(positions, { width, height }, focus);
    setViewport(next);
    void flow.setViewport(next);
  });
  // React Flow undoes the scrolling by which a browser shows what has the focus.
  const follow = ({ target }: FocusEvent<HTMLElement>): void => {
    const name = target.closest('.react-flow__node')?.getAttribute('data-id');
    const at = positions[graph.services.findIndex((service) => service.name === name)];
    if (at === undefined || !target.matches(':focus-visible')) return;
    const { clientWidth: width = 0, clientHeight: height = 0 } = box.current ?? {};
    void flow.setViewport(showing(at, { width, height }, flow.getViewport()));
  };
  // Different services make a different picture. The first one is drawn in place: nothing moves under the pointer.
  useLayoutEffect(() => {
    if (positions.length > 0) open();
  }, [positions]);
  return (
    <div ref={box} className="size-full" onFocus={follow}>
      {viewport && (
        <ReactFlow
          defaultViewport={viewport}
          nodes={nodes}
          edges={edges}
          nodeTypes={NODE_TYPES}
          nodesDraggable={false}
          nodesConnectable={false}
          nodesFocusable={false}
          edgesFocusable={false}
          elementsSelectable={false}
          onlyRenderVisibleElements={graph.services.length > 100}
          zoomOnScroll={false}
          preventScrolling={false}
          zoomOnDoubleClick={false}
          minZoom={0.05}
          maxZoom={2}
          disableKeyboardA11y
        >
          <ViewportPortal>
            {labels.map(({ key, lines, place }) => (
              // The table has the same figures with the names of both services.
              <div
                key={key}
                aria-hidden
                className="pointer-events-none absolute top-0 left-0 z-3 rounded bg-surface px-1 py-0.5 text-center text-xs/4 whitespace-nowrap text-ink"
                style={{ transform: `translate(${place.x}px, ${place.y}px) translate(-50%, -50%)` }}
              >
                {lines.map((line) => (
                  <span key={line} className="block">
                    {line}
                  </span>
                ))}
              </div>
            ))}
          </ViewportPortal>
        </ReactFlow>
      )}
    </div>
  );
}

interface Look extends Pick<DrawingProps, 'selected' | 'found' | 'onSelect'> {
  direction: Direction;
}

function nodesOf({ services }: Graph, positions: readonly Position[], look: Look): Node<ServiceNodeData>[] {
  const { direction, selected, found, onSelect } = look;
  return services.map((service, index) => {
    const { x, y } = positions[index] ?? { x: 0, y: 0 };
    return {
      id: service.name,
      type: 'service',
      position: { x: x - BOX.width / 2, y: y - BOX.height / 2 },
      width: BOX.width,
      height: BOX.height,
      // Edges on the fault path and those of the selected service are above other edges, but below services.
      zIndex: 4,
      sourcePosition: direction === 'right' ? Side.Right : Side.Bottom,
      targetPosition: direction === 'right' ? Side.Left : Side.Top,
      data: {
        service,
        isSelected: service.name === selected,
        isFaint: found.size > 0 && !found.has(service.name),
        onSelect,
      },
    };
  });
}

/** The figures of the selected service's calls, where there is room for them. */
function labelsOf(
  { services, calls }: Graph,
  positions: readonly Position[],
  look: Pick<Look, 'direction' | 'selected'>,
) {
  const { direction, selected } = look;
  const index = new Map(services.map(({ name }, at) => [name, at]));
  const labels = calls.flatMap((call): (Label & { key: string })[] => {
    const { caller, callee } = call;
    const lines = caller === selected || callee === selected ? figuresOf(call) : [];
    const [from, to] = [positions[index.get(caller) ?? -1], positions[index.get(callee) ?? -1]];
    if (lines.length === 0 || from === undefined || to === undefined) return [];
    return [{ key: JSON.stringify([caller, callee]), lines, way: onCurve(endsOf(from, to, direction), direction) }];
  });
  const places = placeLabels(labels, positions, direction);
  return labels.flatMap(({ key, lines }, at) => {
    const place = places[at];
    return place === undefined ? [] : [{ key, lines, place }];
  });
}

interface EdgeLook {
  selected: string | undefined;
  isCalm: boolean;
}

function edgeOf(call: GraphCall, { selected, isCalm }: EdgeLook): Edge {
  const { caller, callee, onFaultPath = false, stale = false } = call;
  const isNear = caller === selected || callee === selected;
  const colour = onFaultPath ? 'var(--bad)' : isNear ? 'var(--accent)' : 'var(--line-strong)';
  return {
    id: JSON.stringify([caller, callee]),
    source: caller,
    target: callee,
    animated: onFaultPath && !isCalm,
    zIndex: onFaultPath ? 2 : isNear ? 1 : 0,
    markerEnd: {
      type: MarkerType.ArrowClosed,
      color: colour,
      width: onFaultPath ? 14 : 18,
      height: onFaultPath ? 14 : 18,
    },
    style: {
      stroke: colour,
      strokeWidth: onFaultPath ? 3 : isNear ? 1.75 : 1.25,
      ...(stale && !onFaultPath && { strokeDasharray: '2 4' }),
    },
  };
}
