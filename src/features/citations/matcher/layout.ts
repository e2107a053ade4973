/** Splits a result into citable pieces and the groups above them. */
import { layOutJson } from './layout-json.ts';
import { layOutLines } from './layout-lines.ts';
import { Layout } from './pieces.ts';

/** Splits JSON (even truncated, or one value per line) by structure, anything else by lines. */
export function layOut(content: string): Layout {
  const layout = new Layout(content);
  const end = layOutJson(layout);
  if (end < content.length) layOutLines(layout, end);
  return layout;
}
