/** Replaces an exact piece of a text. */
import { MAX_FILE_BYTES, WorkspaceError } from './port.ts';

export interface EditInput {
  oldText: string;
  newText: string;
  /** Every occurrence instead of the only one. */
  replaceAll: boolean;
}

/** `lines` are the lines at which replaced pieces began, from 1, at most 20 of them. */
export type Edited = { text: string; replacements: number; lines: number[] } | EditProblem;

export interface EditProblem {
  /** In words that help to mend it. */
  problem: string;
  /** How often the piece occurs. */
  matches: number;
  /** Where it occurs, as in {@link Edited}. */
  lines: number[];
}

const MAX_LINES = 20;

/**
 * Replaces `oldText`, which must occur exactly once unless all occurrences are requested. In a file with CRLF line
 * endings, a piece with plain line breaks also matches, and its replacement gets CRLF.
 * @param allField what the caller's interface calls `replaceAll`
 * @returns the new text, or the problem, in words that help to fix it
 * @throws {WorkspaceError} `too_large` when the new text could not be written
 */
export function editText(text: string, input: EditInput, allField = 'replace_all'): Edited {
  const { replaceAll } = input;
  let { oldText, newText } = input;
  if (oldText === newText)
    return refused('The text to replace and its replacement are the same: there is nothing to change.');
  if (!text.includes(oldText) && text.includes('\r\n')) {
    oldText = withCrlf(oldText);
    newText = withCrlf(newText);
  }
  const places = placesOf(text, oldText);
  if (places.length === 0) return refused(notFound(text, oldText));
  const lines = places.slice(0, MAX_LINES).map((place) => lineAt(text, place));
  if (places.length > 1 && !replaceAll) {
    const where = `lines ${lines.join(', ')}${places.length > lines.length ? ' …' : ''}`;
    const problem = `The text to replace occurs ${places.length} times (${where}). Include more of the surrounding text, or set ${allField}.`;
    return { problem, matches: places.length, lines };
  }
  const length = text.length + places.length * (newText.length - oldText.length);
  // Before it is made: a million replacements by a megabyte each are no text that fits into memory.
  if (length > MAX_FILE_BYTES)
    throw new WorkspaceError(
      'too_large',
      `The file would have ${length} characters; at most ${MAX_FILE_BYTES} bytes can be written`,
    );
  return { text: text.split(oldText).join(newText), replacements: places.length, lines };
}

const refused = (problem: string): EditProblem => ({ problem, matches: 0, lines: [] });

const withCrlf = (text: string): string => text.replaceAll(/\r?\n/gu, '\r\n');

/** The start positions of a piece, without overlaps. */
function placesOf(text: string, piece: string): number[] {
  const places: number[] = [];
  for (let at = text.indexOf(piece); at >= 0; at = text.indexOf(piece, at + piece.length)) places.push(at);
  return places;
}

function lineAt(text: string, place: number): number {
  let line = 1;
  for (let at = text.indexOf('\n'); at >= 0 && at < place; at = text.indexOf('\n', at + 1)) line++;
  return line;
}

function notFound(text: string, oldText: string): string {
  const plain = (line: string): string => line.replaceAll(/\s+/gu, ' ').trim();
  const first = oldText.split('\n').map(plain).find(Boolean);
  const lines = text.split('\n').map(plain);
  const like = first === undefined ? -1 : lines.indexOf(first);
  if (like >= 0)
    return `The text to replace does not occur. Line ${like + 1} resembles its first line, so white space or a later line differs: read the file from there and copy the piece exactly.`;
  return 'The text to replace does not occur in the file. Read the file, or search it, and copy the piece exactly as it is.';
}
