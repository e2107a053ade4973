/** Marks in a text what somebody looked for. */

/** The words of a search: `"quoted together"` and single ones; those that are excluded are not among them. */
export function wordsOf(search: string): string[] {
  return [...search.matchAll(/(-?)(?:"([^"]*)"|([^\s"]+))/g)]
    .filter(([, excluded, , single]) => excluded === '' && single?.toLowerCase() !== 'or')
    .flatMap(([, , quoted, single]) => (quoted ?? single ?? '').match(/[\p{L}\p{N}_]+/gu) ?? []);
}

/** Pieces of a text, in order; those at odd places begin with a word that was looked for, as the search finds them. */
export function marked(text: string, search: string): string[] {
  const words = wordsOf(search);
  if (words.length === 0) return [text];
  const any = words.toSorted((a, b) => b.length - a.length).join('|');
  return text.split(new RegExp(`(?<![\\p{L}\\p{N}_])((?:${any})[\\p{L}\\p{N}_]*)`, 'giu'));
}
