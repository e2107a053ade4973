/** The pieces of a result, in typed arrays: a result of megabytes has hundreds of thousands. */
import type { Span } from './sentences.ts';
import type { Unit } from './units.ts';

/** A growable list of 32-bit integers. */
class Integers {
  #items = new Int32Array(1_024);
  length = 0;

  push(value: number): void {
    if (this.length === this.#items.length) {
      const larger = new Int32Array(this.#items.length * 2);
      larger.set(this.#items);
      this.#items = larger;
    }
    this.#items[this.length++] = value;
  }

  set(index: number, value: number): void {
    this.#items[index] = value;
  }

  at(index: number): number {
    return this.#items[index] ?? -1;
  }
}

/** The form of a piece: text, JSON, the inside of a JSON string, or a table row. */
export type Form = 'text' | 'json' | 'string' | 'row';

/** What several pieces belong to: an object, a heading, a column header. */
export interface Group {
  parent: number;
  /** Names and properties that say what the group is about. */
  labels: Span[];
  /** The form of its labels. */
  form: Form;
  /** The whole group, with its name, if it may be short enough to cite. */
  whole?: Span;
  /** The unit of its numbers that have none. */
  unit?: Unit;
  /** For a table: how its rows are split, and the unit of each column. */
  table?: Table;
}

export interface Table {
  /** Absent: split at two or more spaces. */
  delimiter?: string;
  units: (Unit | undefined)[];
}

export const NO_GROUP = -1;
/** Numbers in a long list are grouped up to this many characters. */
export const MAX_GROUPED = 80;
const FORMS: readonly Form[] = ['text', 'json', 'string', 'row'];

/** The pieces of one result in order; they do not overlap. */
export class Layout {
  readonly content: string;
  readonly groups: Group[] = [];
  readonly #starts = new Integers();
  readonly #ends = new Integers();
  readonly #groups = new Integers();
  readonly #forms = new Integers();

  constructor(content: string) {
    this.content = content;
  }

  get length(): number {
    return this.#starts.length;
  }

  add(start: number, end: number, group: number, form: Form): void {
    this.#starts.push(start);
    this.#ends.push(end);
    this.#groups.push(group);
    this.#forms.push(FORMS.indexOf(form));
  }

  addGroup(group: Group): number {
    return this.groups.push(group) - 1;
  }

  /** Drops the pieces from an index on, to replace them by one. */
  dropFrom(piece: number): void {
    this.#starts.length = this.#ends.length = this.#groups.length = this.#forms.length = piece;
  }

  /** Joins short pieces from an index on. @param most characters of a joined piece */
  groupFrom(piece: number, most: number): void {
    let last = piece;
    for (let index = piece + 1; index < this.length; index++) {
      if (this.#ends.at(index) - this.#starts.at(last) <= most) {
        this.#ends.set(last, this.#ends.at(index));
      } else {
        last += 1;
        this.#starts.set(last, this.#starts.at(index));
        this.#ends.set(last, this.#ends.at(index));
      }
    }
    this.dropFrom(Math.min(this.length, last + 1));
  }

  start = (piece: number): number => this.#starts.at(piece);
  end = (piece: number): number => this.#ends.at(piece);
  group = (piece: number): number => this.#groups.at(piece);

  form = (piece: number): Form => FORMS[this.#forms.at(piece)] ?? 'text';

  /** The piece at a position, or the one before it. */
  pieceAt(place: number): number {
    let [low, high] = [0, this.length - 1];
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (this.#starts.at(middle) <= place) low = middle;
      else high = middle - 1;
    }
    return low;
  }
}
