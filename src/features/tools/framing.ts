/**
 * How a tool result reaches a model: as data between `<tool_result …>` and `</tool_result>`. Others write what
 * telemetry contains, so nothing in it may look like the end of the frame: a `tool_result` tag in the data gets a
 * backslash after its `<` and loses it when the frame is parsed, so the data comes back unchanged.
 */
import type { View } from './view.ts';

export interface FramedToolResult {
  evidence: number;
  tool: string;
  /** Length of the whole stored result, in UTF-16 code units. */
  characters: number;
  shownFrom: number;
  shownTo: number;
  /** Exactly `content.slice(shownFrom, shownTo)`. */
  body: string;
}

// Bounded whitespace keeps the search linear in the length of the data.
const TAG = /<(\\*)((?:\s{0,8}\/)?\s{0,8}tool_result)/giu;
const NEUTRALISED = /<\\(\\*)((?:\s{0,8}\/)?\s{0,8}tool_result)/giu;
const FRAME =
  /^<tool_result evidence="(\d+)" tool="([^"<>\n]*)" characters="(\d+)" shown="(\d+)-(\d+)">\n([\s\S]*)\n<\/tool_result>/u;

/** Makes every `tool_result` tag in `data` harmless; {@link restore} undoes it for any text. */
export function neutralise(data: string): string {
  return data.replace(TAG, String.raw`<$1\$2`);
}

/** The inverse of {@link neutralise}. */
export function restore(data: string): string {
  return data.replace(NEUTRALISED, '<$1$2');
}

/**
 * The text of a tool_result block.
 * @param result.evidence the number by which the model cites this result
 * @param result.view the part of the stored result to show
 * @returns the frame and, if something was left out, a note on how to read the rest
 */
export function frameToolResult(result: { evidence: number; tool: string; view: View }): string {
  const { evidence, tool, view } = result;
  const shown = `${view.shownFrom}-${view.shownTo}`;
  const head = `<tool_result evidence="${evidence}" tool="${encodeURIComponent(tool.toWellFormed())}" characters="${view.characters}" shown="${shown}">`;
  const frame = `${head}\n${neutralise(view.text)}\n</tool_result>`;
  const left = view.characters - (view.shownTo - view.shownFrom);
  if (left <= 0) return frame;
  const next = JSON.stringify({ evidence, offset: view.shownTo });
  const search = JSON.stringify({ evidence, search: 'text to find' });
  return `${frame}\n(Characters ${shown} of ${view.characters} are shown, ${left} are not. To read on: read_tool_result ${next}; to search all of it: read_tool_result ${search}.)`;
}

/** @returns what {@link frameToolResult} was given, or undefined if `text` is not such a frame */
export function parseFramedToolResult(text: string): FramedToolResult | undefined {
  const match = FRAME.exec(text);
  if (!match) return undefined;
  const [, evidence, tool, characters, from, to, body] = match;
  return {
    evidence: Number(evidence),
    tool: decodeURIComponent(tool ?? ''),
    characters: Number(characters),
    shownFrom: Number(from),
    shownTo: Number(to),
    body: restore(body ?? ''),
  };
}
