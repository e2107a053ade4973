/**
 * Embeds a model's Markdown in ours. The model may emphasise, list and write code, but it cannot break out: no
 * headings, quotes, raw HTML, links or images, and no code block that swallows what follows. After CommonMark 0.31.
 */

const FENCE = /^ {0,3}(`{3,}|~{3,})([^`]*)$/u;
/** List and quote markers that may precede a line's content. */
const CONTAINERS = String.raw`^((?:\s*(?:[-*+]|\d{1,9}[.)])(?=\s))*\s*)`;
const HEADING = new RegExp(String.raw`${CONTAINERS}(#{1,6})(?=\s|$)`, 'u');
const QUOTE = new RegExp(String.raw`${CONTAINERS}>`, 'u');
/** The underline of a heading, or a thematic break. */
const UNDERLINE = new RegExp(String.raw`${CONTAINERS}([=\-*_])(?=[=\-*_\s]*$)`, 'u');

/** @returns `text` with line breaks as `\n` and without invisible characters */
function clean(text: string): string {
  return (
    text
      .toWellFormed()
      .replaceAll(/\r\n?|[\u2028\u2029\u0085\v\f]/gu, '\n')
      // oxlint-disable-next-line no-control-regex -- shown as the symbols Unicode has for them
      .replaceAll(/[\u0000-\u0008\u000e-\u001f]/gu, (control) => String.fromCharCode(0x2400 + control.charCodeAt(0)))
      // Bidirectional overrides would display text in another order.
      .replaceAll(/[\u007f\u202a-\u202e\u2066-\u2069]/gu, '\ufffd')
  );
}

/**
 * A code block around any text: the fence is longer than every run of backticks in it.
 * @param language the info string, reduced to letters, digits, `+` and `-`
 */
export function fenced(text: string, language = ''): string {
  const content = clean(text);
  const longest = Math.max(0, ...(content.match(/`+/gu) ?? []).map((run) => run.length));
  const fence = '`'.repeat(Math.max(3, longest + 1));
  return `${fence}${language.replaceAll(/[^\w+-]/gu, '')}\n${content}\n${fence}`;
}

/** Inline code, for names that come from data. */
export function codeSpan(text: string): string {
  const content = clean(text).replaceAll(/\s+/gu, ' ').trim();
  const longest = Math.max(0, ...(content.match(/`+/gu) ?? []).map((run) => run.length));
  const fence = '`'.repeat(longest + 1);
  const pad = content.startsWith('`') || content.endsWith('`') || content === '' ? ' ' : '';
  return `${fence}${pad}${content}${pad}${fence}`;
}

/** Text as one line that starts no block. */
export function safeInline(text: string): string {
  const line = clean(text).replaceAll(/\s+/gu, ' ').trim();
  return safeLine(line.replace(/^([-*+]|\d{1,9}[.)])(?=\s|$)/u, (marker) => marker.replace(/.$/u, String.raw`\$&`)));
}

/** Text as paragraphs, lists and code blocks. An unclosed code block is closed at its end. */
export function safeBlock(text: string): string {
  const lines = clean(text).trim().split('\n');
  const result: string[] = [];
  for (let index = 0; index < lines.length; index++) {
    const line = lines[index] ?? '';
    const [, fence, info] = FENCE.exec(line) ?? [];
    if (fence === undefined) {
      result.push(safeLine(line));
      continue;
    }
    const closing = new RegExp(`^ {0,3}${fence[0]}{${fence.length},}\\s*$`, 'u');
    const length = lines.slice(index + 1).findIndex((candidate) => closing.test(candidate));
    const end = length < 0 ? lines.length : index + 1 + length;
    result.push('', fenced(lines.slice(index + 1, end).join('\n'), info?.trim().split(/\s/u, 1)[0]), '');
    index = end;
  }
  return result.join('\n').trim();
}

function safeLine(line: string): string {
  const escaped = line
    .replace(HEADING, String.raw`$1\$2`)
    .replace(QUOTE, String.raw`$1\>`)
    .replace(UNDERLINE, String.raw`$1\$2`);
  return escapeInlines(escaped);
}

/** Escapes what could open HTML, a link, an image or a fence, outside the code spans of one line. */
function escapeInlines(line: string): string {
  let result = '';
  let index = 0;
  while (index < line.length) {
    const char = line[index] ?? '';
    const next = line[index + 1] ?? '';
    if (char === '\\' && /[!-/:-@[-`{-~]/u.test(next)) {
      result += next === '<' ? '&lt;' : char + next;
      index += 2;
    } else if (char === '`') {
      const run = /^`+/u.exec(line.slice(index))?.[0] ?? '`';
      const close = closingRun(line, index + run.length, run.length);
      // An unpaired run could pair up with one on another line, and a long one could open a fence.
      result += close < 0 || run.length > 2 ? run.replaceAll('`', '\\`') : line.slice(index, close);
      index = close < 0 || run.length > 2 ? index + run.length : close;
    } else {
      result += escapeCharacter(char, next);
      index++;
    }
  }
  return result.replaceAll(/~{3,}/gu, (run) => run.replaceAll('~', String.raw`\~`));
}

function escapeCharacter(char: string, next: string): string {
  if (char === '<') return '&lt;';
  if (char === '!' && next === '[') return String.raw`\!`;
  // `](` makes a link, `]:` defines one, `][` refers to one; a bare [n] stays as is.
  if (char === ']' && (next === '(' || next === ':')) return String.raw`\]`;
  return char;
}

/** @returns the index after the next run of exactly `length` backticks, or -1 */
function closingRun(line: string, from: number, length: number): number {
  for (const match of line.slice(from).matchAll(/`+/gu)) {
    if (match[0].length === length) return from + match.index + length;
  }
  return -1;
}
