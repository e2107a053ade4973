import type { Ref } from 'react';
import type { Graph } from './types.ts';

/** What of a graph is seen, as its controls move it. */
export interface View {
  zoom(by: number): void;
  /** In pixels of the screen. */
  pan(x: number, y: number): void;
  fit(): void;
  goTo(name: string): void;
}

/** What draws a graph. */
export interface DrawingProps {
  ref: Ref<View>;
  graph: Graph;
  selected: string | undefined;
  /** What was searched for; the rest steps back. */
  found: ReadonlySet<string>;
  onSelect: (name: string) => void;
  label: string;
}
