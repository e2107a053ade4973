const LONGEST_TITLE = 80;

/** What a chat is called before a model has named it: one line of the first question. */
export function titleOfQuestion(question: string): string {
  return shortened(question.replaceAll(/\s+/g, ' ').trim());
}

/**
 * A model's title as it is shown: one line without quotes, Markdown or a full stop, at most 80 characters.
 * @returns undefined when nothing usable is left
 */
export function cleanTitle(answer: string): string | undefined {
  for (const line of answer.split('\n')) {
    const title = cleanLine(line);
    if (title !== '') return shortened(title);
  }
  return undefined;
}

/** Control characters, and those that turn the direction of what comes after them. */
const UNSEEN = /[\p{Cc}\u202a-\u202e\u2066-\u2069]+/gu;
/** Of emphasis; those within a name belong to it. */
const OUTER_UNDERSCORES = /(?<![\p{L}\p{N}])_+|_+(?![\p{L}\p{N}])/gu;

function cleanLine(line: string): string {
  return line
    .replaceAll(UNSEEN, ' ')
    .replaceAll(/\s+/g, ' ')
    .replaceAll(/[*`]+/g, '')
    .replaceAll(OUTER_UNDERSCORES, '')
    .trim()
    .replace(/^#+\s*/, '')
    .replace(/^title:\s*/i, '')
    .replace(/^["'“„«]+/, '')
    .replace(/["'”“»]+\.?$/, '')
    .replace(/\.$/, '')
    .trim();
}

function shortened(line: string): string {
  if (line.length <= LONGEST_TITLE) return line;
  // A character of two code units is not cut in half.
  const kept = line.slice(0, LONGEST_TITLE - 1).replace(/[\ud800-\udbff]$/, '');
  return `${kept.trimEnd()}…`;
}
