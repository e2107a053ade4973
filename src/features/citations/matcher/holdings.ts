/** Which terms of a query each piece of a result holds. */
import type { Group, Layout } from './pieces.ts';
import { addTerm, hasTerm, Scanner, type TermSet } from './scan.ts';
import { unitsOfFields } from './tables.ts';
import type { Query, Term } from './terms.ts';
import { unitInName, type Unit } from './units.ts';

/** A piece that holds something, itself or through the groups above it. */
export interface Holding {
  piece: number;
  full: TermSet;
  near: TermSet;
  kinds: number;
}

/** Everything a result holds of a query. */
export interface Holdings {
  layout: Layout;
  /** Pieces that hold a term themselves, in order; of those that hold the same, the first few. */
  found: Holding[];
  /** By group: what its labels and those above it say. */
  groups: GroupHolding[];
  /** By group: what the pieces directly below it hold. */
  siblings: Map<number, Siblings>;
  /** By term: how many pieces and groups hold it. */
  frequency: number[];
}

/** Pieces below one group. */
interface Siblings {
  pieces: number;
  /** By term: how many of them hold it exactly. */
  holding: Uint32Array;
}

interface GroupHolding {
  says: TermSet;
  kinds: number;
}

/** Siblings that hold exactly the same are shown only if there are no more than this. */
export const MAX_ALIKE = 3;
/** How many occurrences of a verbatim term are examined. */
const MAX_PLACES = 5_000;
/** How much of a label is read. */
const LABEL_CHARACTERS = 400;

/** Reads a whole result once, and searches it once per verbatim term. */
export function holdingsOf(layout: Layout, { terms }: Query): Holdings {
  const scanner = new Scanner(terms);
  const verbatim = verbatimPlaces(layout, terms);
  const groups = readGroups(layout, scanner, terms);
  const frequency = terms.map((_term, index) => groups.filter(({ own }) => hasTerm(own, index)).length);
  const found: Holding[] = [];
  const alike = new Map<string, number>();
  const siblings = new Map<number, Siblings>();
  for (let piece = 0; piece < layout.length; piece++) {
    const group = layout.group(piece);
    scanner.begin();
    readPiece(layout, scanner, piece, groups[group]?.unit);
    for (const term of verbatim.get(piece) ?? []) addTerm(scanner.full, term);
    addTogether(terms, scanner.full, scanner.near);
    const { full, near, kinds } = scanner;
    const around = siblings.get(group) ?? { pieces: 0, holding: new Uint32Array(terms.length) };
    if (around.pieces === 0) siblings.set(group, around);
    around.pieces += 1;
    if ((full.low | full.high | near.low | near.high) === 0) continue;
    const key = `${full.low},${full.high},${near.low},${near.high},${kinds},${group}`;
    const count = (alike.get(key) ?? 0) + 1;
    alike.set(key, count);
    if (count <= MAX_ALIKE + 1) found.push({ piece, full: { ...full }, near: { ...near }, kinds });
    for (let index = 0; index < terms.length; index++) {
      if (hasTerm(full, index)) around.holding[index]! += 1;
      if (hasTerm(full, index) || hasTerm(near, index)) frequency[index]! += 1;
    }
  }
  return { layout, found, groups, siblings, frequency };
}

function readPiece(layout: Layout, scanner: Scanner, piece: number, unit: Unit | undefined): void {
  const { content } = layout;
  const [start, end, form] = [layout.start(piece), layout.end(piece), layout.form(piece)];
  if (form === 'json') return scanner.json(content, start, end, unit);
  if (form === 'string') return scanner.jsonString(content, start, end, unit);
  const table = form === 'row' ? layout.groups[layout.group(piece)]?.table : undefined;
  if (!table) return scanner.text(content, start, end, unit ?? exposedUnit(content, start, end));
  for (const field of unitsOfFields(content.slice(start, end), table)) {
    scanner.text(content, start + field.start, start + field.end, field.unit);
  }
}

const EXPOSED = /^([a-zA-Z][a-zA-Z0-9]*_[a-zA-Z0-9_:]*)(?:\{[^}]*\})?\s+[-+\d.]/u;

/** The name in a Prometheus exposition line, `request_duration_seconds{quantile="0.99"} 2.31`. */
function exposedUnit(content: string, start: number, end: number): Unit | undefined {
  const name = end - start > 1_000 ? undefined : EXPOSED.exec(content.slice(start, end))?.[1];
  return name === undefined ? undefined : unitInName(name);
}

/** Verbatim terms whose words a piece holds in another form: `OrderController.create` for `OrderController#create`. */
function addTogether(terms: readonly Term[], full: TermSet, near: TermSet): void {
  if ((full.low | full.high) === 0) return;
  for (const [index, { parts }] of terms.entries()) {
    if (!parts || parts.length < 2 || hasTerm(full, index)) continue;
    const together = parts.every((part) => {
      const word = terms.findIndex(({ kind, text }) => kind === 'word' && text === part);
      return word < 0 || hasTerm(full, word);
    });
    if (together) addTerm(near, index);
  }
}

interface ReadGroup extends GroupHolding {
  own: TermSet;
  unit: Unit | undefined;
}

/** Groups follow their parents. A number in a label is a name, not a quantity. */
function readGroups(layout: Layout, scanner: Scanner, terms: readonly Term[]): ReadGroup[] {
  const read: ReadGroup[] = [];
  for (const group of layout.groups) {
    const above = read[group.parent];
    scanner.begin();
    for (const { start, end } of group.labels) readLabel(layout, scanner, group, start, end, terms);
    const own: TermSet = { low: 0, high: 0 };
    for (const [index, { kind }] of terms.entries()) {
      if (kind === 'quantity') continue;
      if (hasTerm(scanner.full, index) || hasTerm(scanner.near, index)) addTerm(own, index);
    }
    read.push({
      own,
      says: { low: own.low | (above?.says.low ?? 0), high: own.high | (above?.says.high ?? 0) },
      kinds: scanner.kinds | (above?.kinds ?? 0),
      unit: group.unit ?? above?.unit,
    });
  }
  return read;
}

function readLabel(
  layout: Layout,
  scanner: Scanner,
  group: Group,
  start: number,
  end: number,
  terms: readonly Term[],
): void {
  const { content } = layout;
  const stop = Math.min(end, start + LABEL_CHARACTERS);
  if (group.form === 'json') scanner.json(content, start, stop);
  else scanner.text(content, start, stop);
  let text: string | undefined;
  for (const [index, term] of terms.entries()) {
    if (term.kind !== 'verbatim') continue;
    text ??= content.slice(start, stop);
    if (text.includes(term.text)) addTerm(scanner.full, index);
  }
}

/** By piece: the verbatim terms in it. */
function verbatimPlaces(layout: Layout, terms: readonly Term[]): Map<number, number[]> {
  const places = new Map<number, number[]>();
  const { content } = layout;
  if (layout.length === 0) return places;
  const note = (place: number, term: number): void => {
    const piece = layout.pieceAt(place);
    if (place < layout.start(piece) || place >= layout.end(piece)) return;
    const known = places.get(piece);
    if (!known) places.set(piece, [term]);
    else if (!known.includes(term)) known.push(term);
  };
  for (const [index, { kind, text }] of terms.entries()) {
    if (kind !== 'verbatim') continue;
    for (const written of writingsOf(text)) {
      let at = content.indexOf(written);
      for (let count = 0; at >= 0 && count < MAX_PLACES; count++) {
        if (standsAlone(content, at, at + written.length)) {
          note(at, index);
          note(at + written.length - 1, index);
        }
        at = content.indexOf(written, at + written.length);
      }
    }
  }
  return places;
}

/** A text as is, and as escaped in JSON. */
function writingsOf(text: string): Set<string> {
  const escaped = JSON.stringify(text).slice(1, -1);
  const ascii = escaped.replaceAll(/[\u007f-\uffff]/gu, (sign) =>
    sign
      .split('')
      .map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
      .join(''),
  );
  return new Set([text, escaped, ascii]);
}

const CONTINUES = /[\p{L}\p{N}]/u;

/** Neither end is inside a word. */
function standsAlone(content: string, start: number, end: number): boolean {
  const joins = (inner: string, outer: string): boolean => CONTINUES.test(inner) && CONTINUES.test(outer);
  return !joins(content[start] ?? '', content[start - 1] ?? '') && !joins(content[end - 1] ?? '', content[end] ?? '');
}
