/** Decides which paths of an HTTP API may be requested. The comparison uses what will be sent, segment by segment. */

/** A control character, a backslash (some servers take it for a slash), `;` (some cut a segment there), or a second encoding. */
// oxlint-disable-next-line no-control-regex -- control characters are what it looks for
const UNSAFE = /[\u0000-\u001f\u007f\\;%/]/u;

/**
 * @param path as requested, percent-encoded or not
 * @returns its decoded segments; undefined unless it is one plain absolute path, without empty segments, `.`, `..` and
 *   anything that servers read differently
 */
export function segmentsOf(path: string): string[] | undefined {
  if (!path.startsWith('/') || /[?#\\]/.test(path)) return undefined;
  if (path === '/') return [];
  const segments: string[] = [];
  for (const raw of path.slice(1).split('/')) {
    let segment: string;
    try {
      segment = decodeURIComponent(raw);
    } catch {
      return undefined;
    }
    if (/^\.{0,2}$/.test(segment) || UNSAFE.test(segment) || !segment.isWellFormed()) return undefined;
    segments.push(segment);
  }
  return segments;
}

/** Whether a path's segments are allowed. */
type PathPattern = (segments: readonly string[]) => boolean;

/**
 * `/api/orders` is exactly that path, `/api/orders/*` any one segment below it, `/api/**` everything below; `*` may
 * also be a part of a segment.
 * @returns undefined for an invalid pattern
 */
export function patternOf(pattern: string): PathPattern | undefined {
  const wanted = segmentsOf(pattern);
  if (!wanted) return undefined;
  const deep = wanted.at(-1) === '**';
  const fixed = deep ? wanted.slice(0, -1) : wanted;
  if (fixed.some((segment) => segment.includes('**'))) return undefined;
  return (segments) =>
    (deep ? segments.length > fixed.length : segments.length === fixed.length) &&
    fixed.every((segment, i) => matches(segment.split('*'), segments[i]!));
}

/** Whether a segment consists of these pieces with anything in between; linear in both. */
function matches(pieces: readonly string[], segment: string): boolean {
  const [first = '', ...rest] = pieces;
  const last = rest.pop();
  if (last === undefined) return segment === first;
  if (!segment.startsWith(first)) return false;
  let at = first.length;
  for (const piece of rest) {
    const found = segment.indexOf(piece, at);
    if (found === -1) return false;
    at = found + piece.length;
  }
  // A star on its own stands for at least one character.
  return segment.length >= at + last.length && segment.endsWith(last);
}
