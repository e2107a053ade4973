/** Tokenizes a log message, masking the parts that differ from line to line. */

export const WILDCARD = '<*>';

/** Longer messages are distinguished by their start. */
const MAX_CHARACTERS = 2_000;
const MAX_TOKENS = 120;

/**
 * Known variables, masked before lines are compared, as the Drain paper advises (domain knowledge): times, UUIDs,
 * addresses, hexadecimal ids, and any number with or without a unit.
 */
const VARIABLE = new RegExp(
  [
    String.raw`\d{4}-\d\d-\d\d[T ]\d\d:\d\d(?::\d\d(?:[.,]\d+)?)?(?:Z|[+-]\d\d:?\d\d)?`,
    String.raw`\b\d\d:\d\d:\d\d(?:[.,]\d+)?\b`,
    String.raw`\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b`,
    String.raw`\b\d{1,3}(?:\.\d{1,3}){3}(?::\d{1,5})?\b`,
    String.raw`\b0x[0-9a-f]+\b`,
    String.raw`\b(?=[a-f]*\d)[0-9a-f]{8,}\b`,
    String.raw`(?<!\w)[+-]\d+(?:[.,]\d+)*|\d+(?:[.,]\d+)*`,
  ].join('|'),
  'giu',
);

/** A word, or one separating punctuation character; either may be preceded by space. */
const TOKEN = /\s*(?:[^\s=,;:|&?"'()[\]{}]+|[=,;:|&?"'()[\]{}])/gu;
const SEPARATOR = /^\s*[=,;:|&?"'()[\]{}]$/u;

/**
 * The first line of a message (stack traces are distinguished by their headline) as tokens that join back into it.
 * Punctuation such as `=` and `"` is separate, so that `user=alice` has a constant part and JSON lines have parts at
 * all.
 */
export function tokenize(message: string): string[] {
  return tokenizeMasked(maskVariables(message));
}

/** The first line of a message with its known variables masked. */
export function maskVariables(message: string): string {
  const start = message.slice(0, MAX_CHARACTERS).trim();
  const headline = start.split(/[\r\n]/u, 1)[0] ?? '';
  return headline.replaceAll(VARIABLE, WILDCARD);
}

export function tokenizeMasked(headline: string): string[] {
  const tokens = headline.match(TOKEN) ?? [];
  const bounded = tokens.length > MAX_TOKENS ? [...tokens.slice(0, MAX_TOKENS), ` ${WILDCARD}`] : tokens;
  return bounded.map((token) => token.replace(/^\s+/u, ' '));
}

/**
 * Which tokens are form rather than words: punctuation, and keys (words before `=` or `:`). Lines of one pattern have
 * the same form; if keys counted as words, all JSON lines of a service would look alike.
 */
export function formOf(tokens: readonly string[]): boolean[] {
  const ofKey = (index: number): boolean => /^\s*[=:]$/u.test(tokens[index] ?? '');
  return tokens.map(
    (token, index) =>
      SEPARATOR.test(token) || ofKey(index + 1) || (/^["']$/u.test(tokens[index + 1] ?? '') && ofKey(index + 2)),
  );
}

export function isVariable(token: string): boolean {
  return token.includes(WILDCARD);
}

/** @returns a wildcard token, with the space that `token` has before it */
export function wildcardFor(token: string): string {
  return token.startsWith(' ') ? ` ${WILDCARD}` : WILDCARD;
}
