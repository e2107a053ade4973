/** Patterns in which `*` matches anything. Linear in the text for every pattern: no regular expressions. */

export interface Wildcard {
  /** The longest literal part, which a source can search for; absent if every text matches. */
  literal?: string;
  matches(text: string): boolean;
}

/** A text matches when it contains the parts between the stars in order, ignoring case. */
export function wildcard(pattern: string | undefined): Wildcard {
  const parts = (pattern ?? '').split('*').filter((part) => part !== '');
  const literal = parts.toSorted((a, b) => b.length - a.length)[0];
  const needles = parts.map((part) => needleOf(part.toLowerCase()));
  return {
    ...(literal !== undefined && { literal }),
    matches(text) {
      const folded = text.toLowerCase();
      let from = 0;
      for (const needle of needles) {
        const end = endOf(folded, needle, from);
        if (end < 0) return false;
        from = end;
      }
      return true;
    },
  };
}

interface Needle {
  text: string;
  /** For each prefix, the length of its longest proper prefix that is also its suffix. */
  borders: number[];
}

/** Knuth, Morris and Pratt 1977: the built-in search is quadratic for some texts, and the texts are untrusted. */
function needleOf(text: string): Needle {
  const borders = [0];
  for (let i = 1, border = 0; i < text.length; i++) {
    while (border > 0 && text[i] !== text[border]) border = borders[border - 1]!;
    if (text[i] === text[border]) border++;
    borders.push(border);
  }
  return { text, borders };
}

/** The end of the first occurrence at or after `from`; -1 if there is none. */
function endOf(text: string, needle: Needle, from: number): number {
  let matched = 0;
  for (let i = from; i < text.length; i++) {
    const code = text.charCodeAt(i);
    while (matched > 0 && code !== needle.text.charCodeAt(matched)) matched = needle.borders[matched - 1]!;
    if (code === needle.text.charCodeAt(matched)) matched++;
    if (matched === needle.text.length) return i + 1;
  }
  return -1;
}
