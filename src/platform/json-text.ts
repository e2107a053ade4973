/** Reads strings in JSON text in place. */

/** @param from the opening quote, double or single @returns the position after the closing one */
export function endOfString(text: string, from: number, to: number): number {
  const quote = text.charCodeAt(from);
  for (let at = from + 1; at < to; at++) {
    const code = text.charCodeAt(at);
    if (code === 0x5c) at++;
    else if (code === quote) return at + 1;
  }
  return to;
}

/** Not `indexOf`, which would search the whole rest of the result for each string. */
export function hasEscape(text: string, from: number, to: number): boolean {
  for (let at = from; at < to; at++) if (text.charCodeAt(at) === 0x5c) return true;
  return false;
}

export function nextSign(text: string, from: number, to: number): number {
  let at = from;
  while (at < to && text.charCodeAt(at) <= 0x20) at++;
  return text.charCodeAt(at);
}

const ESCAPES: Record<string, string> = { n: '\n', t: '\t', r: '\r', b: '\b', f: '\f' };

/** Unescapes the inside of a JSON string; invalid escapes are kept as they are. */
export function unescaped(inside: string): string {
  return inside.replaceAll(/\\(?:u([0-9a-fA-F]{4})|([^u]))/gu, (_whole, hex: string | undefined, sign: string) =>
    hex === undefined ? (ESCAPES[sign] ?? sign) : String.fromCharCode(Number.parseInt(hex, 16)),
  );
}
