/**
 * Slack's own markup ("mrkdwn"): text that cannot mention, link or format anything, and reports converted from
 * Markdown.
 */
import type { Token, Tokens } from 'marked';
import { decodeReferences, isBuiltIn, parseMarkdown, plainText, webLink } from '../text.ts';

/**
 * Escapes text so that Slack shows it verbatim: without `<` there are no mentions, links or dates.
 * https://docs.slack.dev/messaging/formatting-message-text#escaping
 */
export const escapeSlack = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');

/** A link, or only its label if the URL may not be opened. A label that hides its target is followed by it. */
export function slackLink(url: string, label: string): string {
  const href = webLink(url)?.replaceAll('|', '%7C').replaceAll('<', '%3C').replaceAll('>', '%3E');
  const text = escapeSlack(label);
  if (href === undefined) return text;
  const target = `<${href.replaceAll('&', '&amp;')}>`;
  return label === url || label === href || label === '' ? target : `${text} (${target})`;
}

/** A piece of a text; code keeps its fences when it is split. */
export interface MrkdwnBlock {
  text: string;
  code: boolean;
}

/** A Markdown text as blocks of escaped mrkdwn. Code comes without its fences. */
export function toMrkdwn(markdown: string): MrkdwnBlock[] {
  const tokens = parseMarkdown(markdown);
  if (tokens === undefined) return [{ text: escapeSlack(plainText(markdown, 60_000)), code: true }];
  return tokens.flatMap(block).filter(({ text }) => text.trim() !== '');
}

const of = (text: string): MrkdwnBlock => ({ text, code: false });

function block(token: Token): MrkdwnBlock[] {
  if (!isBuiltIn(token)) return [];
  switch (token.type) {
    case 'heading':
      return [of(wrap('*', plain(token.tokens ?? [])))];
    case 'code':
      return [{ text: escapeSlack(token.text), code: true }];
    case 'table':
      return [{ text: escapeSlack(tableText(token)), code: true }];
    case 'blockquote':
      return (token.tokens ?? [])
        .flatMap(block)
        .map(({ text, code }) => (code ? { text, code } : of(text.replaceAll(/^/gm, '> '))));
    case 'list':
      return listBlocks(token);
    case 'hr':
      return [of('———')];
    case 'space':
    case 'def':
      return [];
    default:
      return [of(inlines([token]))];
  }
}

function listBlocks({ items, ordered, start }: Tokens.List): MrkdwnBlock[] {
  return items.flatMap((item, index) => {
    const mark = ordered ? `${(start || 1) + index}.` : '•';
    const [first, ...rest] = item.tokens.filter(({ type }) => type !== 'checkbox').flatMap(block);
    const task = item.task ? (item.checked ? '☑ ' : '☐ ') : '';
    if (first === undefined || first.code) return [of(`${mark} ${task}`), ...(first ? [first] : []), ...rest];
    const inner = rest.map((part) => (part.code ? part : of(part.text.replaceAll(/^/gm, '    '))));
    return [of(`${mark} ${task}${first.text}`), ...inner];
  });
}

function inlines(tokens: readonly Token[]): string {
  return tokens.map(inline).join('');
}

function inline(token: Token): string {
  if (!isBuiltIn(token)) return '';
  switch (token.type) {
    case 'strong':
      return wrap('*', inlines(token.tokens ?? []));
    case 'em':
      return wrap('_', inlines(token.tokens ?? []));
    case 'del':
      return wrap('~', inlines(token.tokens ?? []));
    case 'codespan':
      return wrap('`', escapeSlack(token.text));
    case 'br':
      return '\n';
    case 'link':
    case 'image':
      return slackLink(decodeReferences(token.href), plainOf(token.tokens ?? []) || decodeReferences(token.text));
    case 'html':
      return escapeSlack(token.raw);
    case 'escape':
      return escapeSlack(token.text);
    default:
      if ('tokens' in token && token.tokens) return inlines(token.tokens);
      return escapeSlack(decodeReferences('text' in token ? token.text : token.raw));
  }
}

/** Slack cannot escape its formatting marks: text that contains a mark itself stays unformatted. */
function wrap(mark: string, text: string): string {
  return text.trim() === '' || text.includes(mark) || text.includes('\n') ? text : `${mark}${text.trim()}${mark}`;
}

/** The tokens' text without formatting, not escaped. */
function plainOf(tokens: readonly Token[]): string {
  return tokens
    .map((token) => {
      if ('tokens' in token && token.tokens) return plainOf(token.tokens);
      const text = 'text' in token ? token.text : token.raw;
      return token.type === 'codespan' || token.type === 'escape' ? text : decodeReferences(text);
    })
    .join('');
}

const plain = (tokens: readonly Token[]): string => escapeSlack(plainOf(tokens));

/** Slack has no tables: columns of equal width in a code block. */
function tableText({ header, rows }: Tokens.Table): string {
  const lines = [header, ...rows].map((cells) => cells.map(({ tokens }) => plainOf(tokens)));
  const widths = header.map((_, column) =>
    Math.min(60, Math.max(...lines.map((cells) => (cells[column] ?? '').length))),
  );
  return lines
    .map((cells) =>
      widths
        .map((width, column) => (cells[column] ?? '').padEnd(width))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}
