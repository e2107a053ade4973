/** Ids and titles of checks. */

const ID_CHARACTERS = 56;
const TITLE_CHARACTERS = 160;

/** An id made of words, which no other check has. */
export function checkIdFor(parts: readonly (string | undefined)[], taken: ReadonlySet<string>): string {
  const plain = slug(parts);
  if (!taken.has(plain)) return plain;
  let number = 2;
  while (taken.has(`${plain}-${number}`)) number += 1;
  return `${plain}-${number}`;
}

export function slug(parts: readonly (string | undefined)[]): string {
  const words = parts
    .filter((part) => part !== undefined)
    .join('-')
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replaceAll(/^-+|-+$/g, '')
    .slice(0, ID_CHARACTERS)
    .replace(/-+$/, '');
  return words === '' ? 'check' : words;
}

/** One line that is a title. */
export function titleFor(text: string): string {
  const line = text.replaceAll(/[\s\p{Cc}]+/gu, ' ').trim();
  const cut = line.length > TITLE_CHARACTERS ? `${line.slice(0, TITLE_CHARACTERS - 1).trimEnd()}…` : line;
  const isName = /^p\d|^\S*[_:(]/.test(cut);
  const capital = (isName ? cut : `${cut.charAt(0).toUpperCase()}${cut.slice(1)}`).toWellFormed();
  return capital === '' ? 'Check' : capital;
}
