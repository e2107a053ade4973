const STOP_WORDS = new Set(
  (
    'a about above after all an and any are as at be been before being below by can could did do does for from had has ' +
    'have how i in into investigate is it its me more most my of on or our out over please root cause service services ' +
    'should since so some than that the their them then there these they this to too under up us was we were what when ' +
    'where which while who why will with would you your incident problem issue alert alerts production'
  ).split(' '),
);

/** Lower-case words without stop words and numbers; splits camelCase, drops a plural `s`. */
export function words(text: string): string[] {
  return text
    .replaceAll(/([a-z\d])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => /\p{L}/u.test(word) && !STOP_WORDS.has(word))
    .map((word) => (word.length > 3 && word.endsWith('s') && !word.endsWith('ss') ? word.slice(0, -1) : word));
}

/** Whether a text contains a name as a whole word. */
export function mentions(text: string, name: string): boolean {
  const escaped = name.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`);
  return name !== '' && new RegExp(String.raw`(?<![\p{L}\p{N}_-])${escaped}(?![\p{L}\p{N}_-])`, 'iu').test(text);
}

/** The names in a text: literally, else by all of their words. */
export function namesIn(text: string, names: readonly string[]): string[] {
  const literal = names.filter((name) => mentions(text, name));
  const lower = text.toLowerCase();
  if (literal.length > 0) {
    return literal.toSorted((a, b) => lower.indexOf(a.toLowerCase()) - lower.indexOf(b.toLowerCase()));
  }
  const said = new Set(words(text));
  return names.filter((name) => {
    const parts = words(name);
    return parts.length > 0 && parts.every((part) => said.has(part));
  });
}

/** Scores texts by the query's words, rare ones counting more; 0 means nothing in common. */
export function lexicalScores(query: string, texts: readonly string[]): number[] {
  const asked = new Set(words(query));
  const bags = texts.map((text) => new Set(words(text)));
  return bags.map((bag) => {
    let score = 0;
    for (const word of asked) {
      if (bag.has(word)) score += 1 / bags.filter((other) => other.has(word)).length;
    }
    return score;
  });
}
