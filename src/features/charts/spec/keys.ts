/** Which columns tell rows apart. */
import type { Cell } from '../tables/index.ts';
import type { Field } from './columns.ts';

/** With more values than this, series cannot be distinguished by eye. */
const MAX_VALUES = 500;
const MAX_KEY_COLUMNS = 3;
/** How many columns to try. */
const MAX_CANDIDATES = 12;

/**
 * The fewest columns that tell rows apart, found greedily.
 * @param fields candidates, preferred ones first
 * @param base what already tells rows apart, such as their times: a number per row
 * @returns the columns, and whether they distinguish nearly all rows
 */
export function keyOf(
  rows: readonly Cell[][],
  fields: readonly Field[],
  base: readonly number[],
  mostValues = MAX_VALUES,
): { key: Field[]; unique: boolean } {
  const candidates = fields
    .slice(0, MAX_CANDIDATES * 2)
    .map((field) => ({ field, ids: idsOf(rows.map((row) => row[field.index] ?? null)) }))
    .filter(({ ids }) => ids.count > 1 && ids.count <= mostValues)
    .slice(0, MAX_CANDIDATES);
  const key: Field[] = [];
  let current = idsOf(base);
  while (current.count < rows.length && key.length < MAX_KEY_COLUMNS) {
    let best: { field: Field; joined: Ids } | undefined;
    for (const { field, ids } of candidates) {
      if (key.includes(field)) continue;
      const joined = join(current, ids);
      if (joined.count > (best?.joined.count ?? current.count)) best = { field, joined };
    }
    if (!best) break;
    key.push(best.field);
    current = best.joined;
  }
  // Found in order of discrimination, read in order of preference.
  key.sort((a, b) => fields.indexOf(a) - fields.indexOf(b));
  return { key, unique: current.count >= rows.length * 0.99 };
}

interface Ids {
  ids: number[];
  count: number;
}

function idsOf(values: readonly (Cell | undefined)[]): Ids {
  const known = new Map<Cell | undefined, number>();
  const ids = values.map((value) => {
    const id = known.get(value) ?? known.size;
    known.set(value, id);
    return id;
  });
  return { ids, count: known.size };
}

function join(a: Ids, b: Ids): Ids {
  return idsOf(a.ids.map((id, index) => id * b.count + (b.ids[index] ?? 0)));
}
