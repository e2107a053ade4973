/** A result as the pieces that can be cited, and what each of them stands under. */
import { layOutJson } from './layout-json.ts';
import { layOutLines } from './layout-lines.ts';
import { Layout } from './pieces.ts';

/** Takes a result apart: JSON (also cut short, or one value a line) by its structure, anything else by its lines. */
export function layOut(content: string): Layout {
  const layout = new Layout(content);
  const end = layOutJson(layout);
  if (end < content.length) layOutLines(layout, end);
  return layout;
}
