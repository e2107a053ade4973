import { safeCut } from './text.ts';

export interface FoundSlices {
  /** Ranges of the text around the matches, in order, not overlapping. */
  slices: { from: number; to: number }[];
  /** Matches within the slices. */
  matches: number;
  /** Where to continue, if there are more. */
  next?: number;
}

/** Characters shown on either side of a match: usually a log line or a JSON property. */
const AROUND = 250;
/** Characters that each slice's heading takes. */
const HEADING = 60;

/**
 * Finds a plain text in a long one, ignoring case, and cuts out the line around it, or as much of the line as fits
 * (JSON results are one line).
 * @param options.offset where to start
 * @param options.room maximum characters of all slices and their headings; the first match is always returned
 */
export function findSlices(text: string, needle: string, options: { offset: number; room: number }): FoundSlices {
  // A case-insensitive expression keeps offsets correct; lower-casing both texts would not for every script.
  const pattern = new RegExp(RegExp.escape(needle), 'giu');
  pattern.lastIndex = options.offset;
  const slices: { from: number; to: number }[] = [];
  let matches = 0;
  let used = 0;
  for (let match = pattern.exec(text); match; match = pattern.exec(text)) {
    const place = { from: match.index, to: match.index + match[0].length };
    const { from, to } = around(text, place, options.offset);
    const last = slices.at(-1);
    const joins = last !== undefined && from <= last.to;
    const cost = joins ? Math.max(0, to - last.to) : to - from + HEADING;
    if (matches > 0 && used + cost > options.room) return { slices, matches, next: place.from };
    used += cost;
    matches++;
    if (joins) last.to = Math.max(last.to, to);
    else slices.push({ from, to });
  }
  return { slices, matches };
}

function around(text: string, place: { from: number; to: number }, offset: number): { from: number; to: number } {
  const before = text.slice(Math.max(offset, place.from - AROUND), place.from);
  const after = text.slice(place.to, place.to + AROUND);
  const lineStart = before.lastIndexOf('\n') + 1;
  const lineEnd = after.indexOf('\n');
  const from = safeCut(text, place.from - before.length + lineStart);
  return { from, to: safeCut(text, place.to + (lineEnd < 0 ? after.length : lineEnd)) };
}
