/** Pages of a text, in whole lines. */

export interface TextPage {
  page: string;
  /** Lines of the whole text. */
  lines: number;
  /** Lines of the page. */
  shown: number;
}

/**
 * @param options.offset lines to skip
 * @param options.limit maximum lines; 0 for as many as fit. A single line is shown whole, however long
 */
export function pageOf(
  text: string,
  { offset, limit, maxCharacters }: { offset: number; limit: number; maxCharacters: number },
): TextPage {
  const lines = text.match(/[^\n]*\n|[^\n]+$/gu) ?? [];
  const end = limit === 0 ? lines.length : offset + limit;
  let page = '';
  let shown = 0;
  for (const line of lines.slice(offset, end)) {
    if (shown > 0 && page.length + line.length > maxCharacters) break;
    page += line;
    shown++;
  }
  return { page, lines: lines.length, shown };
}
