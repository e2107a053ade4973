/** Finds names similar to an unknown one. Pure. */

const MAX_NAMES = 5;
/** Names longer than this are not checked for misspellings: they are not typed by hand. */
const MAX_TYPED_CHARACTERS = 64;

/**
 * Names that contain the wanted one, are contained in it, or are a few letters off, ignoring case; nearest first.
 * @param names may be many: each costs little
 */
export function nearNames(wanted: string, names: Iterable<string>): string[] {
  const word = wanted.toLowerCase();
  const max = Math.min(3, Math.floor(word.length / 3));
  const found: { name: string; distance: number }[] = [];
  for (const name of names) {
    const other = name.toLowerCase();
    const distance = editDistance(word, other, max);
    if (distance !== undefined) found.push({ name, distance });
    else if (word.length >= 3 && other.includes(word)) found.push({ name, distance: max + 1 });
    else if (other.length >= 3 && word.includes(other)) found.push({ name, distance: max + 2 });
  }
  return found
    .sort((a, b) => a.distance - b.distance || a.name.length - b.name.length || (a.name < b.name ? -1 : 1))
    .slice(0, MAX_NAMES)
    .map(({ name }) => name);
}

/** Two rows of the matrix, reused for every name: graphs have hundreds of thousands. */
const rows = [new Uint8Array(MAX_TYPED_CHARACTERS + 1), new Uint8Array(MAX_TYPED_CHARACTERS + 1)] as const;

/**
 * Edit distance (Levenshtein 1965), computed only in the diagonal band that can hold the answer (Ukkonen 1985), without
 * the common prefix and suffix.
 * @returns undefined when it exceeds `max`
 */
function editDistance(a: string, b: string, max: number): number | undefined {
  if (Math.abs(a.length - b.length) > max || Math.max(a.length, b.length) > MAX_TYPED_CHARACTERS) return undefined;
  const shorter = Math.min(a.length, b.length);
  let begin = 0;
  while (begin < shorter && a[begin] === b[begin]) begin++;
  let same = 0;
  while (same < shorter - begin && a[a.length - 1 - same] === b[b.length - 1 - same]) same++;
  const [rowCount, columns] = [a.length - begin - same, b.length - begin - same];
  const far = max + 1;
  let [row, next] = rows;
  for (let column = 0; column <= columns; column++) row[column] = Math.min(column, far);
  for (let i = 1; i <= rowCount; i++) {
    next.fill(far, 0, columns + 1);
    if (i <= max) next[0] = i;
    let least = next[0]!;
    const letter = a.charCodeAt(begin + i - 1);
    for (let j = Math.max(1, i - max); j <= Math.min(columns, i + max); j++) {
      const replaced = row[j - 1]! + (letter === b.charCodeAt(begin + j - 1) ? 0 : 1);
      const distance = Math.min(replaced, row[j]! + 1, next[j - 1]! + 1, far);
      next[j] = distance;
      if (distance < least) least = distance;
    }
    if (least > max) return undefined;
    [row, next] = [next, row];
  }
  return row[columns]! <= max ? row[columns] : undefined;
}
