const LONGEST_TITLE = 80;

/** A chat's provisional title: one line of the first question. */
export function titleOfQuestion(question: string): string {
  return shortened(question.replaceAll(/\s+/g, ' ').trim());
}

/**
 * Cleans up a model's title: one line without quotes, Markdown or a full stop, at most 80 characters.
 * @returns undefined if nothing usable is left
 */
export function cleanTitle(answer: string): string | undefined {
  for (const line of answer.split('\n')) {
    const title = cleanLine(line);
    if (title !== '') return shortened(title);
  }
  return undefined;
}

/** Control characters, including bidirectional ones. */
const UNSEEN = /[\p{Cc}\u202a-\u202e\u2066-\u2069]+/gu;
/** Emphasis markers; those inside a name belong to it. */
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
  // Do not split a surrogate pair.
  const kept = line.slice(0, LONGEST_TITLE - 1).replace(/[\ud800-\udbff]$/, '');
  return `${kept.trimEnd()}…`;
}
