/**
 * Splits JSON into pieces. Each record (an object with some scalars and little below it) is one; larger ones are split
 * into their properties. Iterative and lenient: truncated JSON yields what is there, and Python's printed lists and
 * dictionaries are read too.
 */
import { MAX_GROUPED, NO_GROUP, type Layout } from './pieces.ts';
import { endOfString, unescaped } from '../../../platform/json-text.ts';
import { unitInName, unitNamed } from './units.ts';
import { addWindows, LONGEST_PIECE } from './windows.ts';

/** An object or array up to this length is one piece if it has little structure. */
const RECORD = 320;
/** Strings in a list are separate pieces from this length on, or if they have several words. */
const PHRASE = 40;
/** A group up to this length may be cited whole. */
const CITABLE_WHOLE = 600;
const MAX_LABELS = 12;
const DEEPEST = 1_000;
/** The share of broken JSON that still counts as JSON. */
const WORTH_KEEPING = 4_096;
/** Property names whose values say what an object is about. */
const DESCRIBES =
  /metric|label|tag|attribute|resource|dimension|meta|target|source|service|pod|host|object|entity|subject|info/iu;
const LITERAL =
  /(?:-?(?:0|[1-9]\d{0,400})(?:\.\d{1,400})?(?:[eE][+-]?\d{1,5})?|true|false|null|NaN|-?Infinity|True|False|None)(?=[\s,\]})]|$)/uy;

interface Frame {
  isArray: boolean;
  /** With its name, if it has one. */
  start: number;
  group: number;
  firstPiece: number;
  scalars: number;
  containers: number;
  /** It holds something that does not belong to one record. */
  composite: boolean;
  /** The name of the next property. */
  name?: { start: number; end: number };
}

/**
 * Adds the pieces of the JSON at the start of the content: one value, or several in a row.
 * @returns where the JSON ends; 0 if there is none
 */
export function layOutJson(layout: Layout): number {
  return new JsonLayout(layout).run();
}

class JsonLayout {
  readonly #layout: Layout;
  readonly #content: string;
  readonly #stack: Frame[] = [];

  constructor(layout: Layout) {
    this.#layout = layout;
    this.#content = layout.content;
  }

  run(): number {
    const content = this.#content;
    const { length } = content;
    /** Known to be JSON: everything up to the end of a top-level value. */
    let done = { end: 0, pieces: 0, groups: 0 };
    let at = 0;
    while (at < length) {
      const next = this.#step(at);
      if (next < 0) break;
      at = next;
      const { length: pieces } = this.#layout;
      if (this.#stack.length === 0 && pieces > done.pieces)
        done = { end: at, pieces, groups: this.#layout.groups.length };
    }
    const whole = at >= length && (this.#stack.length > 0 || done.pieces > 0);
    if (whole || (at - done.end > WORTH_KEEPING && this.#layout.length > done.pieces)) return at;
    this.#layout.dropFrom(done.pieces);
    this.#layout.groups.length = done.groups;
    return done.end;
  }

  /** @returns the position after the next token, or -1 if it is not JSON */
  #step(at: number): number {
    const code = this.#content.charCodeAt(at);
    const top = this.#stack.at(-1);
    switch (code) {
      case 0x20:
      case 0x0a:
      case 0x0d:
      case 0x09:
        return at + 1;
      case 0x28:
        return top && this.#open(at, true) ? at + 1 : -1;
      case 0x7b:
      case 0x5b:
        return this.#open(at, code === 0x5b) ? at + 1 : -1;
      case 0x29:
      case 0x7d:
      case 0x5d:
        if (!top || top.isArray === (code === 0x7d) || top.name) return -1;
        this.#close(at + 1);
        return at + 1;
      case 0x2c:
        return top && !top.name ? at + 1 : -1;
      case 0x22:
      case 0x27:
        return top ? this.#string(top, at) : -1;
      default:
        return top ? this.#literal(top, at) : -1;
    }
  }

  #open(at: number, isArray: boolean): boolean {
    const top = this.#stack.at(-1);
    if (this.#stack.length >= DEEPEST || (top && !top.isArray && !top.name)) return false;
    const name = top?.name;
    const group = this.#layout.addGroup({
      parent: top?.group ?? NO_GROUP,
      labels: name ? [name] : [],
      form: 'json',
      unit: name && unitInName(this.#content.slice(name.start + 1, name.end - 1)),
    });
    const start = name?.start ?? at;
    const firstPiece = this.#layout.length;
    this.#stack.push({ isArray, start, group, firstPiece, scalars: 0, containers: 0, composite: false });
    if (top) top.name = undefined;
    return true;
  }

  #close(end: number): void {
    const frame = this.#stack.pop()!;
    const parent = this.#stack.at(-1);
    const { isArray, start, firstPiece, scalars, containers } = frame;
    const single = containers === 1 && scalars === 0;
    const isRecord = scalars > 0 && (isArray ? containers === 0 : containers <= 4);
    if (end - start <= RECORD && !frame.composite && (isRecord || single || scalars + containers === 0)) {
      this.#layout.dropFrom(firstPiece);
      this.#layout.groups.length = frame.group;
      this.#layout.add(start, end, parent?.group ?? NO_GROUP, 'json');
      if (parent) {
        parent.containers += 1;
        if (parent.isArray && parent.containers > 1) parent.composite = true;
        else if (!parent.isArray) this.#label(parent, start, end, DESCRIBES);
      }
      return;
    }
    if (!isArray && !frame.composite && end - start <= CITABLE_WHOLE)
      this.#layout.groups[frame.group]!.whole = { start, end };
    if (isArray && containers === 0 && !frame.composite) this.#layout.groupFrom(firstPiece, MAX_GROUPED);
    if (parent) parent.composite = true;
  }

  #string(top: Frame, at: number): number {
    const { length } = this.#content;
    const end = endOfString(this.#content, at, length);
    if (top.isArray || top.name) {
      this.#scalar(top, at, end, true);
      return end;
    }
    let next = end;
    while (next < length && this.#content.charCodeAt(next) <= 0x20) next++;
    if (next < length && this.#content[next] !== ':') return -1;
    top.name = { start: at, end };
    return Math.min(length, next + 1);
  }

  #literal(top: Frame, at: number): number {
    LITERAL.lastIndex = at;
    const match = LITERAL.exec(this.#content);
    if (!match || (!top.isArray && !top.name)) return -1;
    this.#scalar(top, at, at + match[0].length, false);
    return at + match[0].length;
  }

  #scalar(top: Frame, at: number, end: number, isText: boolean): void {
    const start = top.name?.start ?? at;
    top.scalars += 1;
    if (isText && this.#isLong(at, end)) {
      top.composite = true;
      const group = top.name
        ? this.#layout.addGroup({ parent: top.group, labels: [top.name], form: 'json' })
        : top.group;
      addWindows(this.#layout, { start: at + 1, end: end - 1 }, group, 'string');
    } else {
      this.#layout.add(start, end, top.group, 'json');
      if (isText && top.isArray && this.#isPhrase(at, end)) top.composite = true;
      if (isText && top.name) {
        this.#label(top, start, end);
        this.#noteUnit(top, top.name, at, end);
      }
    }
    top.name = undefined;
  }

  #isLong(at: number, end: number): boolean {
    if (end - at > LONGEST_PIECE) return true;
    return /\\n[^"]{2}/u.test(this.#content.slice(at, end));
  }

  #isPhrase(at: number, end: number): boolean {
    return end - at > PHRASE || this.#content.slice(at, end).includes(' ');
  }

  #label(frame: Frame, start: number, end: number, name?: RegExp): void {
    const group = this.#layout.groups[frame.group]!;
    if (group.labels.length >= MAX_LABELS || end - start > RECORD) return;
    if (name && !name.test(this.#content.slice(start, Math.min(end, start + 40)))) return;
    group.labels.push({ start, end });
  }

  #noteUnit(frame: Frame, name: { start: number; end: number }, at: number, end: number): void {
    if (!/^["']units?["']$/iu.test(this.#content.slice(name.start, Math.min(name.end, name.start + 10)))) return;
    const unit = unitNamed(unescaped(this.#content.slice(at + 1, Math.min(end - 1, at + 20))));
    if (unit) this.#layout.groups[frame.group]!.unit = unit;
  }
}
