/** JSON as tools write it, some of which is not quite JSON. */

/** @returns the value, or undefined when the text is no JSON */
export function parseJson(text: string): unknown {
  const head = text.trimStart()[0];
  if (head !== '{' && head !== '[') return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return parseWithoutNumbers(text);
  }
}

/** Python and Go write `NaN` and `Infinity`, which JSON does not have: they are missing values. */
function parseWithoutNumbers(text: string): unknown {
  if (!/NaN|Infinity/u.test(text)) return undefined;
  try {
    return JSON.parse(outsideStrings(text, (part) => part.replaceAll(/-?\b(?:NaN|Infinity)\b/gu, 'null')));
  } catch {
    return undefined;
  }
}

/** Changes what is not within the quotes of a string, in one pass. */
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

/** Lines to look at before a text is held for lines of JSON. */
const LOOKED_AT = 50;

/**
 * Reads lines of JSON objects.
 * @returns the objects, and whether lines were left out; or undefined when the text is not of that form
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

/** The lines of a text that are not blank, without their ends, one at a time. */
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
