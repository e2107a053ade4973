/** Where the pieces of a result are. Numbers in typed arrays: a result of megabytes has hundreds of thousands of pieces. */
import type { Span } from './sentences.ts';
import type { Unit } from './units.ts';

/** A list of 32-bit integers that grows. */
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

/** How a piece is written: as text, as JSON, as the inside of a JSON string, as a row of a table. */
export type Form = 'text' | 'json' | 'string' | 'row';

/** What several pieces stand under: an object, a heading, a column header. */
export interface Group {
  parent: number;
  /** Names and members that say what the group is about. */
  labels: Span[];
  /** How its labels are written. */
  form: Form;
  /** The whole group, with its name, where it may be short enough to be cited as a whole. */
  whole?: Span;
  /** Of numbers in it that have none of their own. */
  unit?: Unit;
  /** Of a table: how its rows are divided, and the unit of each column. */
  table?: Table;
}

export interface Table {
  /** Absent: by runs of two spaces or more. */
  delimiter?: string;
  units: (Unit | undefined)[];
}

export const NO_GROUP = -1;
/** Numbers in a long list are taken together up to so many characters. */
export const MOST_GROUPED = 80;
const FORMS: readonly Form[] = ['text', 'json', 'string', 'row'];

/** The pieces of one result in order of appearance; they do not overlap. */
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

  /** Forgets the pieces from one on: they will be one piece. */
  dropFrom(piece: number): void {
    this.#starts.length = this.#ends.length = this.#groups.length = this.#forms.length = piece;
  }

  /** Joins the pieces from one on, so that those of a few characters are fewer. @param most characters of one */
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

  /** The piece at a place, or the one before it. */
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
