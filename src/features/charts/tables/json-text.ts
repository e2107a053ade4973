/** JSON as tools write it, which is not always quite JSON. */

/** @returns the value, or undefined if the text is not JSON */
export function parseJson(text: string): unknown {
  const head = text.trimStart()[0];
  if (head !== '{' && head !== '[') return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return parseWithoutNumbers(text);
  }
}

/** Python and Go write `NaN` and `Infinity`, which JSON lacks: missing values. */
function parseWithoutNumbers(text: string): unknown {
  if (!/NaN|Infinity/u.test(text)) return undefined;
  try {
    return JSON.parse(outsideStrings(text, (part) => part.replaceAll(/-?\b(?:NaN|Infinity)\b/gu, 'null')));
  } catch {
    return undefined;
  }
}

/** Replaces outside of string literals, in one pass. */
function outsideStrings(text: string, change: (part: string) => string): string {
  const parts: string[] = [];
  let from = 0;
  while (from < text.length) {
    const quote = text.indexOf('"', from);
    if (quote < 0) break;
    parts.push(change(text.slice(from, quote)));
    let end = quote + 1;
    while (end < text.length && text[end] !== '"') end += text[end] === '\\' ? 2 : 1;
    parts.push(text.slice(quote, end + 1));
    from = end + 1;
  }
  parts.push(change(text.slice(from)));
  return parts.join('');
}

/** How many lines to examine before a text counts as JSON lines. */
const LOOKED_AT = 50;

/**
 * Reads lines of JSON objects.
 * @returns the objects and whether lines were skipped; undefined if the text has another form
 */
export function parseJsonLines(text: string): { objects: object[]; partial: boolean } | undefined {
  if (text.trimStart()[0] !== '{') return undefined;
  const objects: object[] = [];
  let failed = 0;
  for (const line of linesOf(text)) {
    const value = objectIn(line);
    if (value) objects.push(value);
    else failed += 1;
    if (objects.length + failed === LOOKED_AT && failed > LOOKED_AT / 10) return undefined;
  }
  if (objects.length < 2 || failed > objects.length / 5) return undefined;
  return { objects, partial: failed > 0 };
}

function objectIn(line: string): object | undefined {
  if (line[0] !== '{') return undefined;
  const value = parseJson(line);
  return typeof value === 'object' && value !== null ? value : undefined;
}

/** The non-blank lines of a text, one at a time. */
export function* linesOf(text: string): Generator<string> {
  let from = 0;
  while (from < text.length) {
    const newline = text.indexOf('\n', from);
    const to = newline < 0 ? text.length : newline;
    const line = text.slice(from, to).trim();
    if (line !== '') yield line;
    from = to + 1;
  }
}
