import { Lexer, type MarkedToken, type Token } from 'marked';
import { plainText } from './wording.ts';

/** So much of a text is parsed: a report is shorter, and hostile text costs the square of its length. */
export const MOST_MARKDOWN = 24_000;

const NAMED: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'", nbsp: ' ' };

/** Lists and quotes within one another, deeper than a person writes and than a parser goes in reasonable time. */
export const isNestedTooDeeply = (text: string): boolean =>
  /^(?:[ \t]*(?:>|[-*+](?=[ \t])|\d{1,9}[.)](?=[ \t]))){30}/m.test(text);

/**
 * Tokens of a Markdown text (CommonMark with tables), by marked.
 * @returns undefined where it cannot be parsed: text of telemetry may be nested deeper than any parser goes
 */
export function parseMarkdown(markdown: string): Token[] | undefined {
  const text = plainText(markdown, MOST_MARKDOWN);
  if (isNestedTooDeeply(text)) return undefined;
  try {
    return new Lexer({ gfm: true }).lex(text);
  } catch {
    return undefined;
  }
}

/** Other tokens come from extensions of the parser, of which there are none. */
export const isBuiltIn = (_token: Token): _token is MarkedToken => true;

/** Text of a token as a reader sees it: the parser leaves character references as they are. */
export function decodeReferences(text: string): string {
  return text.replaceAll(/&(?:#(\d{1,7})|#x([\da-f]{1,6})|([a-z]{2,4}));/gi, (whole, decimal, hex, name) => {
    if (name !== undefined) return NAMED[String(name).toLowerCase()] ?? whole;
    const code = decimal === undefined ? Number.parseInt(hex, 16) : Number(decimal);
    return code > 31 && code <= 0x10ffff ? String.fromCodePoint(code).toWellFormed() : '\ufffd';
  });
}
