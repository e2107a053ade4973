/** The names by which a model calls what satellites offer. */
import { createHash } from 'node:crypto';

const MAX_CHARACTERS = 64;
const HASH_CHARACTERS = 8;

/**
 * One name for each item, `^[a-z][a-z0-9_]{0,63}$`, built from its parts. A name that would be too long, shared by two
 * items or reserved ends in a hash of the item's parts. Names depend on the set of items, not on their order.
 */
export function namesFor(items: readonly (readonly string[])[], reserved: ReadonlySet<string>): string[] {
  const plain = items.map((parts) => snakeCase(parts.join('_')));
  const uses = new Map<string, number>();
  for (const name of plain) uses.set(name, (uses.get(name) ?? 0) + 1);
  return items.map((parts, index) => {
    const name = plain[index]!;
    const fits = name.length <= MAX_CHARACTERS && uses.get(name) === 1 && !reserved.has(name);
    return fits ? name : withHash(name, parts);
  });
}

function snakeCase(text: string): string {
  const words = text
    .normalize('NFKD')
    .replaceAll(/([a-z\d])([A-Z])/gu, '$1_$2')
    .toLowerCase()
    .replaceAll(/[^a-z\d]+/gu, '_')
    .replaceAll(/^_+|_+$/gu, '');
  return /^[a-z]/u.test(words) ? words : `s_${words}`;
}

function withHash(name: string, parts: readonly string[]): string {
  const hash = createHash('sha256').update(JSON.stringify(parts)).digest('hex').slice(0, HASH_CHARACTERS);
  return `${name.slice(0, MAX_CHARACTERS - HASH_CHARACTERS - 1).replace(/_+$/u, '')}_${hash}`;
}
