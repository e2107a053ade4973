/** Names of series, categories and events. */
import { plainText } from '../text.ts';
import type { Cell } from '../tables/index.ts';
import type { Field } from './columns.ts';

const BETWEEN = ' · ';
const COLUMN_CHARACTERS = 30;

/** Short, distinct texts for long ones. */
export class Labels {
  private readonly limit: number;
  private readonly known = new Map<string, string>();
  private readonly taken = new Map<string, number>();

  constructor(limit: number) {
    this.limit = limit;
  }

  /** @param parts of a name, each shortened if they do not all fit */
  of(parts: readonly string[]): string {
    const key = parts.join('\u0000');
    const found = this.known.get(key);
    if (found !== undefined) return found;
    // Room for the number that tells apart names with the same start.
    const label = joined(parts, this.limit - 8) || '(empty)';
    let unique = label;
    // Continuing from the last number keeps this linear when very many names start alike.
    let number = this.taken.get(label) ?? 1;
    while (this.taken.has(unique)) unique = `${label} (${(number += 1)})`;
    this.taken.set(label, number);
    this.taken.set(unique, 1);
    this.known.set(key, unique);
    return unique;
  }
}

/** The cells that name a row. */
export function nameOf(row: readonly Cell[], fields: readonly Field[]): string[] {
  return fields.map(({ index, name }) => {
    const cell = row[index] ?? null;
    if (cell === null) return `no ${plainText(name, COLUMN_CHARACTERS)}`;
    if (typeof cell === 'string' || fields.length === 1) return String(cell);
    return `${plainText(name.split('.').at(-1) ?? name, COLUMN_CHARACTERS)} ${cell}`;
  });
}

/** Joins parts: short ones whole, the remaining room for long ones. */
function joined(parts: readonly string[], limit: number): string {
  let room = limit - BETWEEN.length * (parts.length - 1);
  let left = parts.length;
  const shares = new Map<number, number>();
  const byLength = [...parts.keys()].sort((a, b) => (parts[a]?.length ?? 0) - (parts[b]?.length ?? 0));
  for (const index of byLength) {
    const share = Math.max(4, Math.min(parts[index]?.length ?? 0, Math.floor(room / left)));
    shares.set(index, share);
    room -= share;
    left -= 1;
  }
  return parts.map((part, index) => plainText(part, shares.get(index) ?? 4)).join(BETWEEN);
}
