/** Text as the channels have it in common. */
import type { NotificationMessage } from './port.ts';
import { Lexer, type MarkedToken, type Token } from 'marked';

const SEVERITY_SIGNS = { critical: '🔴', warning: '🟠', info: '🔵' } as const;
const OVER = '🟢';

/** A sign before the title: how bad it is, or that it is over. */
export function signOf({ isOver, severity }: NotificationMessage): string {
  return isOver ? OVER : SEVERITY_SIGNS[severity];
}

/** One line without what terminals, headers and readers would take for more than text. */
export function oneLine(text: string, most: number): string {
  const line = text
    .toWellFormed()
    .replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\s]+/gu, ' ')
    .trim();
  return clip(line, most);
}

/** At most so many UTF-16 units, with an ellipsis where something is left out; never half a character. */
export function clip(text: string, most: number): string {
  return text.length <= most ? text : `${text.slice(0, most - 1).replace(/[\ud800-\udbff]$/, '')}…`;
}

/** Text of several lines without control characters. */
export function plainText(text: string, most: number): string {
  const clean = text
    .toWellFormed()
    .replaceAll(/\r\n?|[\u2028\u2029\u0085]/gu, '\n')
    // Bidirectional overrides would show text in another order than it has.
    .replaceAll(/(?!\n|\t)\p{Cc}|[\u202a-\u202e\u2066-\u2069]/gu, '\ufffd');
  return clip(clean.trim(), most);
}

/** The URL, if it is one that a person may be asked to open. */
export function webLink(url: string): string | undefined {
  const parsed = URL.parse(url);
  if (parsed === null || !/^https?:$/.test(parsed.protocol) || parsed.username !== '' || parsed.password !== '')
    return undefined;
  return parsed.href;
}

/** The links of a message that can be opened. */
export function linksOf({ links }: NotificationMessage): { label: string; url: string }[] {
  return links.flatMap(({ label, url }) => {
    const href = webLink(url);
    return href === undefined ? [] : [{ label: oneLine(label, 75) || 'Open', url: href }];
  });
}

/** So much of a text is parsed: a report is shorter, and hostile text costs the square of its length. */
export const MAX_MARKDOWN = 24_000;

const NAMED: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'", nbsp: ' ' };

/** Lists and quotes within one another, deeper than a person writes and than a parser goes in reasonable time. */
export const isNestedTooDeeply = (text: string): boolean =>
  /^(?:[ \t]*(?:>|[-*+](?=[ \t])|\d{1,9}[.)](?=[ \t]))){30}/m.test(text);

/**
 * Tokens of a Markdown text (CommonMark with tables), by marked.
 * @returns undefined where it cannot be parsed: text of telemetry may be nested deeper than any parser goes
 */
export function parseMarkdown(markdown: string): Token[] | undefined {
  const text = plainText(markdown, MAX_MARKDOWN);
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
