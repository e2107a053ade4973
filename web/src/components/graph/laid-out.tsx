import { useRef, type ReactNode } from 'react';
import type { Direction, Graph, Position } from './types.ts';
import { useDirection } from './use-direction.ts';
import { useLayout } from './use-layout.ts';
import { Working } from './working.tsx';

export interface Places {
  positions: readonly Position[];
  direction: Direction;
}

/** Draws a graph once its layout for the available space is known. */
export function LaidOut({ graph, children }: { graph: Graph; children: (places: Places) => ReactNode }) {
  const box = useRef<HTMLDivElement>(null);
  const direction = useDirection(box);
  const positions = useLayout(graph, direction);
  return (
    <div ref={box} className="size-full">
      {positions === undefined || direction === undefined ? <Working /> : children({ positions, direction })}
    </div>
  );
}
