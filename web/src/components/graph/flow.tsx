/** A graph of page elements, each reachable by keyboard. */
import {
  MarkerType,
  Position as Side,
  ReactFlow,
  ReactFlowProvider,
  useReactFlow,
  type Edge,
  type Node,
} from '@xyflow/react';
import '@xyflow/react/dist/base.css';
import './graph.css';
import { useEffect, useImperativeHandle, useMemo } from 'react';
import { ServiceNode, type ServiceNodeData } from './service-node.tsx';
import { LaidOut, type Places } from './laid-out.tsx';
import { BOX, type Direction, type Graph, type GraphCall, type Position } from './types.ts';
import type { DrawingProps } from './view.ts';
import { figuresOf } from './words.ts';

const NODE_TYPES = { service: ServiceNode };
const FIT = { padding: 0.12, maxZoom: 1.1 } as const;

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
  const edges = useMemo(
    () => graph.calls.map((call) => edgeOf(call, { selected, isCalm, direction })),
    [graph, selected, isCalm, direction],
  );
  // Different services make a different picture.
  useEffect(() => {
    if (positions.length > 0) void flow.fitView(FIT);
  }, [flow, positions]);
  return (
    <ReactFlow
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
      fitView
      fitViewOptions={FIT}
      disableKeyboardA11y
    />
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

/** Above a horizontal edge: on it, the label would cover a short one entirely. */
const ABOVE = { transform: 'translateY(-0.9rem)' };

interface EdgeLook {
  selected: string | undefined;
  isCalm: boolean;
  direction: Direction;
}

function edgeOf(call: GraphCall, { selected, isCalm, direction }: EdgeLook): Edge {
  const { caller, callee, onFaultPath = false, stale = false } = call;
  const isNear = caller === selected || callee === selected;
  const colour = onFaultPath ? 'var(--bad)' : isNear ? 'var(--accent)' : 'var(--line-strong)';
  const label = isNear ? figuresOf(call) : '';
  return {
    id: JSON.stringify([caller, callee]),
    source: caller,
    target: callee,
    animated: onFaultPath && !isCalm,
    zIndex: onFaultPath ? 2 : isNear ? 1 : 0,
    ...(label !== '' && { label, labelBgPadding: [3, 2] as [number, number], labelBgBorderRadius: 4 }),
    ...(direction === 'right' && { labelStyle: ABOVE, labelBgStyle: ABOVE }),
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
