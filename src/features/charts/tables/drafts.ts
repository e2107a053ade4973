/** Collects the tables of a JSON result: rows from the same place belong to the same table. */
import { tableOf, type Draft } from './infer.ts';
import { MAX_CELLS, MAX_COLUMNS, MAX_TABLES, type Cell, type Table } from './table.ts';

/** Cells by column name. */
export type Entries = readonly (readonly [string, Cell])[];

interface OpenDraft extends Draft {
  positions: Map<string, number>;
  groups: number[];
  /** How many objects have rows nested in them. */
  owners: number;
}

export class Drafts {
  private readonly form: Table['form'];
  private readonly open = new Map<string, OpenDraft>();
  private cells = 0;

  constructor(form: Table['form']) {
    this.form = form;
  }

  /**
   * The table of a place, created on the first call. Each call is one owner: an object in which rows are nested.
   * @returns undefined if there are too many tables already
   */
  at(place: { path: string; name: string; measure?: string; partial: boolean }): OpenDraft | undefined {
    let draft = this.open.get(place.path);
    if (!draft) {
      if (this.open.size >= MAX_TABLES) return undefined;
      const name = this.nameFor(place.name);
      const empty = { names: [], rows: [], groups: [], positions: new Map<string, number>(), total: 0, owners: 0 };
      draft = { ...place, name, form: this.form, ...empty };
      this.open.set(place.path, draft);
    }
    draft.owners += 1;
    draft.partial ||= place.partial;
    // Values of different metrics share no name.
    if (draft.measure !== place.measure) draft.measure = undefined;
    return draft;
  }

  add(draft: OpenDraft, entries: Entries): void {
    draft.total += 1;
    if (this.cells >= MAX_CELLS) return;
    const row: Cell[] = Array.from({ length: draft.names.length }, () => null);
    for (const [name, cell] of entries) {
      const position = draft.positions.get(name) ?? this.column(draft, name);
      if (position !== undefined) row[position] = cell;
    }
    this.cells += row.length;
    draft.rows.push(row);
    draft.groups.push(draft.owners);
  }

  /** The tables in order of first appearance. */
  tables(): Table[] {
    return [...this.open.values()].flatMap((draft) => {
      // A single owner does not group its rows.
      const table = tableOf({ ...draft, groups: draft.owners > 1 ? draft.groups : undefined });
      return table ? [table] : [];
    });
  }

  private column(draft: OpenDraft, name: string): number | undefined {
    if (draft.names.length >= MAX_COLUMNS) return undefined;
    draft.positions.set(name, draft.names.length);
    return draft.names.push(name) - 1;
  }

  private nameFor(name: string): string {
    const taken = new Set([...this.open.values()].map((draft) => draft.name));
    for (let number = 2, free = name; ; number++) {
      if (!taken.has(free)) return free;
      free = `${name} (${number})`;
    }
  }
}
