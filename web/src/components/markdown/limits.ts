/** Input that no person writes and that keeps a Markdown parser busy for seconds is shown as plain text. */

const MAX_CHARACTERS = 200_000;
/** Emphasis, code and link markers. Their cost grows with the square of their number in one paragraph. */
const MARKS = /[*_~`[\]!<|]/g;
const MAX_MARKS_IN_LINE = 800;
const MAX_MARKS = 6_000;
/** Nested quotations, lists and brackets. */
const TOO_DEEP =
  /^(?:[ \t]*(?:>|[-*+]|\d{1,9}[.)])){40}|^[ \t]{60,}(?:>|[-*+]|\d{1,9}[.)])[ \t]|[*_~[(!<]{200}|(?:\[[^[\]\n]{0,20}){60}/m;

const FENCED = /^ {0,3}(?:```|~~~)/;

/** @param block Markdown that is parsed in one go */
export function isTooMuch(block: string): boolean {
  if (block.length > MAX_CHARACTERS) return true;
  // Nothing inside a code block is parsed.
  if (FENCED.test(block)) return false;
  if ((block.match(MARKS)?.length ?? 0) < MAX_MARKS_IN_LINE) return TOO_DEEP.test(block);
  const counts = block.split('\n').map((line) => line.match(MARKS)?.length ?? 0);
  return (
    counts.some((count) => count > MAX_MARKS_IN_LINE) ||
    counts.reduce((a, b) => a + b, 0) > MAX_MARKS ||
    TOO_DEEP.test(block)
  );
}
