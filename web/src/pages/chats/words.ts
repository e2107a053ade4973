/** Marks search terms in a text. */

/** The terms of a search: `"quoted phrases"` and single words, without excluded ones. */
export function wordsOf(search: string): string[] {
  return [...search.matchAll(/(-?)(?:"([^"]*)"|([^\s"]+))/g)]
    .filter(([, excluded, , single]) => excluded === '' && single?.toLowerCase() !== 'or')
    .flatMap(([, , quoted, single]) => (quoted ?? single ?? '').match(/[\p{L}\p{N}_]+/gu) ?? []);
}

/** The text in pieces; those at odd indexes start with a matched term, as the search matches it. */
export function marked(text: string, search: string): string[] {
  const words = wordsOf(search);
  if (words.length === 0) return [text];
  const any = words.toSorted((a, b) => b.length - a.length).join('|');
  return text.split(new RegExp(`(?<![\\p{L}\\p{N}_])((?:${any})[\\p{L}\\p{N}_]*)`, 'giu'));
}
