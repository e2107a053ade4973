/**
 * Foreign text as inline code on one line, so that it cannot be Markdown, a citation or an instruction.
 * @param limit characters, the ellipsis of a cut included
 */
export function code(text: string, limit = 80): string {
  const line = text
    .replaceAll('`', "'")
    .replaceAll(/[\s\p{Cc}]+/gu, ' ')
    .trim();
  const cut = line.length > limit ? `${line.slice(0, limit - 1).toWellFormed()}…` : line;
  return `\`${cut || '(empty)'}\``;
}

/** A composed sentence as it is, if outside its code spans nothing can be read as Markdown or a citation; else as code. */
export function sentence(text: string, limit = 600): string {
  const isPlain = text.length <= limit && /^[^[\]<>*_#|\\\n\r`]*$/.test(text.replaceAll(/`[^`\n\r]+`/g, ''));
  return isPlain ? text : code(text, limit);
}

/** A kind from telemetry as a word of a sentence, if it is one; else as code. */
export function word(text: string): string {
  return /^[A-Za-z][A-Za-z -]{0,30}$/.test(text) ? text : code(text, 30);
}
