import type { Ref } from 'react';
import type { Graph } from './types.ts';

/** The visible part of a graph, as its controls move it. */
export interface View {
  zoom(by: number): void;
  /** In screen pixels. */
  pan(x: number, y: number): void;
  fit(): void;
  goTo(name: string): void;
}

/** Whatever draws a graph. */
export interface DrawingProps {
  ref: Ref<View>;
  graph: Graph;
  selected: string | undefined;
  /** The search hits; everything else is dimmed. */
  found: ReadonlySet<string>;
  onSelect: (name: string) => void;
  label: string;
}
