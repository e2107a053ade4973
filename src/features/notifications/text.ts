/** Text helpers shared by the channels. */
import type { NotificationMessage } from './port.ts';
import { Lexer, type MarkedToken, type Token } from 'marked';

const SEVERITY_SIGNS = { critical: '🔴', warning: '🟠', info: '🔵' } as const;
const OVER = '🟢';

/** A symbol before the title: the severity, or that it is over. */
export function signOf({ isOver, severity }: NotificationMessage): string {
  return isOver ? OVER : SEVERITY_SIGNS[severity];
}

/** One line without characters that terminals, headers or readers would interpret. */
export function oneLine(text: string, most: number): string {
  const line = text
    .toWellFormed()
    .replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\s]+/gu, ' ')
    .trim();
  return clip(line, most);
}

/** At most this many UTF-16 units, with an ellipsis if cut; never half a character. */
export function clip(text: string, most: number): string {
  return text.length <= most ? text : `${text.slice(0, most - 1).replace(/[\ud800-\udbff]$/, '')}…`;
}

/** Text of several lines without control characters. */
export function plainText(text: string, most: number): string {
  const clean = text
    .toWellFormed()
    .replaceAll(/\r\n?|[\u2028\u2029\u0085]/gu, '\n')
    // Bidirectional overrides would display the text in another order.
    .replaceAll(/(?!\n|\t)\p{Cc}|[\u202a-\u202e\u2066-\u2069]/gu, '\ufffd');
  return clip(clean.trim(), most);
}

/** The URL, if a person may be asked to open it. */
export function webLink(url: string): string | undefined {
  const parsed = URL.parse(url);
  if (parsed === null || !/^https?:$/.test(parsed.protocol) || parsed.username !== '' || parsed.password !== '')
    return undefined;
  return parsed.href;
}

/** A message's links that can be opened. */
export function linksOf({ links }: NotificationMessage): { label: string; url: string }[] {
  return links.flatMap(({ label, url }) => {
    const href = webLink(url);
    return href === undefined ? [] : [{ label: oneLine(label, 75) || 'Open', url: href }];
  });
}

/** Maximum characters parsed: reports are shorter, and hostile text takes quadratic time. */
export const MAX_MARKDOWN = 24_000;

const NAMED: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'", nbsp: ' ' };

/** Maximum nesting of lists and quotes: more than people write, and little enough for the parser. */
export const isNestedTooDeeply = (text: string): boolean =>
  /^(?:[ \t]*(?:>|[-*+](?=[ \t])|\d{1,9}[.)](?=[ \t]))){30}/m.test(text);

/**
 * Tokens of a Markdown text (CommonMark with tables), by marked.
 * @returns undefined for text that cannot be parsed: text from telemetry may be nested too deeply for any parser
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

/** Other tokens come from parser extensions; none are installed. */
export const isBuiltIn = (_token: Token): _token is MarkedToken => true;

/** A token's text as a reader sees it: the parser leaves character references undecoded. */
export function decodeReferences(text: string): string {
  return text.replaceAll(/&(?:#(\d{1,7})|#x([\da-f]{1,6})|([a-z]{2,4}));/gi, (whole, decimal, hex, name) => {
    if (name !== undefined) return NAMED[String(name).toLowerCase()] ?? whole;
    const code = decimal === undefined ? Number.parseInt(hex, 16) : Number(decimal);
    return code > 31 && code <= 0x10ffff ? String.fromCodePoint(code).toWellFormed() : '\ufffd';
  });
}
