/** What a chat is called before a model has named it: one line of the first question. */
export function titleOfQuestion(question: string): string {
  const line = question.replaceAll(/\s+/g, ' ').trim();
  return line.length <= 80 ? line : `${line.slice(0, 79).toWellFormed()}…`;
}

const LONGEST_TITLE = 80;

/**
 * A model's title as it is shown: one line without quotes, Markdown or a full stop, at most 80 characters.
 * @returns undefined when nothing usable is left
 */
export function cleanTitle(answer: string): string | undefined {
  const [line = ''] = answer.trim().split('\n');
  const title = line
    .replaceAll(/[*_`#]+/g, '')
    .replace(/^title:\s*/i, '')
    .trim()
    .replace(/^["'“„«]+/, '')
    .replace(/["'”“»]+\.?$/, '')
    .replace(/\.$/, '')
    .trim();
  if (title === '') return undefined;
  return title.length <= LONGEST_TITLE
    ? title
    : `${title
        .slice(0, LONGEST_TITLE - 1)
        .toWellFormed()
        .trimEnd()}…`;
}
