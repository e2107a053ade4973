/** Reads a piece of a result and records which terms of a query it holds, in linear time. */
import { QuantityIndex, type Agreement, type UnitPlace } from './agreement.ts';
import { classOf, DIGIT, isDigit, LOWER, OTHER, PAIRED, UPPER, stemOf } from './words.ts';
import {
  digitsEnd,
  durationAt,
  exponentEnd,
  groupsEnd,
  isPartOfName,
  suffixAt,
  unitBefore,
  versionEnd,
} from './figures.ts';
import { endOfString, hasEscape, nextSign, unescaped } from '../../../platform/json-text.ts';
import { MAX_TERMS, stemsOf, type Term } from './terms.ts';
import { momentAt, momentOfEpoch, sameMoment, type Moment } from './times.ts';
import { unitInName, unitNamed, type Dimension, type Unit } from './units.ts';

/** A set of terms by index, as two 31-bit halves. */
export interface TermSet {
  low: number;
  high: number;
}

const HALF = MAX_TERMS / 2;
export const hasTerm = ({ low, high }: TermSet, term: number): boolean =>
  (term < HALF ? low & (1 << term) : high & (1 << (term - HALF))) !== 0;
export function addTerm(set: TermSet, term: number): void {
  if (term < HALF) set.low |= 1 << term;
  else set.high |= 1 << (term - HALF);
}

/** The kinds of numbers in a piece, as bits. */
export const KIND: Record<Dimension | 'moment' | 'figures', number> = {
  time: 1,
  ratio: 2,
  bytes: 4,
  count: 8,
  moment: 16,
  /** An address or version. */
  figures: 32,
};

const SECOND = unitNamed('s');
const LONGEST_WORD = 64;
const CACHED_WORDS = 20_000;

interface Entry {
  term: number;
  strength: 1 | 2;
}

/** Reads pieces one after another; its fields describe the last one. */
export class Scanner {
  /** Terms held exactly. */
  readonly full: TermSet = { low: 0, high: 0 };
  /** Terms nearly held: a related word, or a value close to the stated one. */
  readonly near: TermSet = { low: 0, high: 0 };
  /** See {@link KIND}. */
  kinds = 0;
  readonly #words = new Map<string, Entry[]>();
  readonly #known = new Map<string, Entry[] | undefined>();
  /** By the first two letters: whether any term starts with them. */
  readonly #beginnings = new Uint8Array(36 * 36);
  readonly #quantities: QuantityIndex;
  readonly #moments: { term: number; moment: Moment }[] = [];

  constructor(terms: readonly Term[]) {
    this.#quantities = new QuantityIndex(
      terms.flatMap(({ quantity }, term) => (quantity === undefined ? [] : { term, quantity })),
    );
    for (const [index, term] of terms.entries()) {
      if (term.moment) this.#moments.push({ term: index, moment: term.moment });
      for (const [stem, strength] of stemsOf(term)) {
        this.#words.set(stem, [...(this.#words.get(stem) ?? []), { term: index, strength }]);
        const at = beginningOf(stem, 0, stem.length);
        if (at >= 0) this.#beginnings[at] = 1;
      }
    }
  }

  /** Resets what is held. */
  begin(): void {
    this.full.low = this.full.high = this.near.low = this.near.high = this.kinds = 0;
  }

  /**
   * Adds what a text holds.
   * @param unit of numbers that have none
   */
  text(text: string, from: number, to: number, unit?: Unit): void {
    let at = from;
    while (at < to) {
      const kind = classOf(text.charCodeAt(at));
      if (kind === OTHER) at++;
      else if (kind === DIGIT) at = this.#number(text, at, to, unit);
      else if (kind === PAIRED) at = this.#pairs(text, at, to);
      else at = this.#word(text, at, to);
    }
  }

  /** Adds what a JSON piece holds: strings unescaped, numbers with the unit at the end of their property's name. */
  json(text: string, from: number, to: number, inherited?: Unit): void {
    let unit = inherited;
    let at = from;
    while (at < to) {
      const code = text.charCodeAt(at);
      if (code === 0x22 || code === 0x27) {
        const end = endOfString(text, at, to);
        if (nextSign(text, end, to) === 0x3a) {
          unit = unitInName(text.slice(Math.max(at + 1, end - 41), end - 1)) ?? inherited;
          this.jsonString(text, at + 1, end - 1);
        } else {
          this.jsonString(text, at + 1, end - 1, unit);
        }
        at = end;
      } else if (code >= 0x30 && code <= 0x39) {
        at = this.#number(text, at, to, unit);
      } else {
        at++;
      }
    }
  }

  /** Adds what the inside of a JSON string holds. */
  jsonString(text: string, from: number, to: number, unit?: Unit): void {
    if (!hasEscape(text, from, to)) return this.text(text, from, to, unit);
    const plain = unescaped(text.slice(from, to));
    this.text(plain, 0, plain.length, unit);
  }

  #note(entries: readonly Entry[]): void {
    for (const { term, strength } of entries) addTerm(strength === 2 ? this.full : this.near, term);
  }

  #look(word: string): void {
    const known = this.#known.get(word);
    if (known !== undefined) return this.#note(known);
    if (this.#known.has(word)) return;
    const entries = this.#words.get(stemOf(word));
    if (this.#known.size >= CACHED_WORDS) this.#known.clear();
    this.#known.set(word, entries);
    if (entries) this.#note(entries);
  }

  /** A run of letters and digits, whole and, if it is camel case, in parts. */
  #word(text: string, from: number, to: number): number {
    let at = from;
    let part = from;
    let previous = OTHER;
    for (; at < to; at++) {
      const kind = classOf(text.charCodeAt(at));
      if (kind === OTHER || kind === PAIRED) break;
      const begins =
        kind === UPPER &&
        (previous === LOWER ||
          previous === DIGIT ||
          (previous === UPPER && at + 1 < to && classOf(text.charCodeAt(at + 1)) === LOWER));
      if (begins && at > part) {
        this.#part(text, part, at);
        part = at;
      }
      previous = kind;
    }
    this.#part(text, part, at);
    if (part > from) this.#part(text, from, at);
    return at;
  }

  #part(text: string, from: number, to: number): void {
    if (to - from < 2 || to - from > LONGEST_WORD) return;
    const beginning = beginningOf(text, from, to);
    if (beginning >= 0 && this.#beginnings[beginning] === 0) return;
    this.#look(text.slice(from, to).toLowerCase());
  }

  #pairs(text: string, from: number, to: number): number {
    let at = from;
    while (at < to && classOf(text.charCodeAt(at)) === PAIRED) at++;
    for (let index = from; index < Math.max(from + 1, at - 1); index++)
      this.#look(text.slice(index, Math.min(index + 2, at)));
    return at;
  }

  #number(text: string, from: number, to: number, named: Unit | undefined): number {
    let at = digitsEnd(text, from, to);
    if (isPartOfName(text, from)) {
      if (text[from - 1] === '.') this.kinds |= KIND.figures;
      return at;
    }
    const written = momentAt(text, from, at - from);
    if (written) {
      this.#moment(written.moment);
      const { day, second, precision } = written.moment;
      // 00:12:07 may be a duration.
      if (day === undefined && second !== undefined && precision === 1) this.#quantity(second, SECOND, 'suffix', false);
      return Math.min(to, written.end);
    }
    const whole = at;
    if (text[at] === '.' && isDigit(text, at + 1, to)) at = digitsEnd(text, at + 1, to);
    if (text[at] === '.' && isDigit(text, at + 1, to)) {
      this.kinds |= KIND.figures;
      return versionEnd(text, at, to);
    }
    at = exponentEnd(text, at, to);
    const value = Number(text.slice(from, Math.min(at, from + 40)));
    if (!Number.isFinite(value)) return at;
    const grouped = groupsEnd(text, from, whole, to);
    const end = Math.max(at, grouped);
    const suffix = suffixAt(text, end, to);
    if (suffix.glued && !suffix.unit) {
      // 5xx, or part of a hash.
      this.#look(text.slice(from, Math.min(suffix.end, from + LONGEST_WORD)).toLowerCase());
      return suffix.end;
    }
    const unit = suffix.unit ?? named ?? unitBefore(text, from);
    const how = suffix.unit ? 'suffix' : 'name';
    if (!suffix.unit && (whole - from === 10 || whole - from === 13)) {
      const moment = momentOfEpoch(value);
      if (moment) this.#moment(moment);
    }
    if (grouped > at) this.#quantity(Number(text.slice(from, grouped).replaceAll(',', '')), unit, how);
    // 1h30m is one duration; the hours are its larger part.
    const total = suffix.glued && suffix.unit?.dimension === 'time' ? durationAt(text, from, to) : undefined;
    if (total) this.#quantity(total.seconds, SECOND, 'suffix');
    this.#quantity(value, unit, how);
    return total?.end ?? Math.max(end, suffix.glued ? suffix.end : end);
  }

  #quantity(value: number, unit: Unit | undefined, place: UnitPlace, counts = true): void {
    if (counts) this.kinds |= KIND[unit?.dimension ?? 'count'];
    this.#quantities.find(value, unit, place, this.#noteAgreement);
  }

  readonly #noteAgreement = (term: number, agreed: Agreement): void =>
    addTerm(agreed === 2 ? this.full : this.near, term);

  #moment(written: Moment): void {
    this.kinds |= KIND.moment;
    for (const { term, moment } of this.#moments) {
      const same = sameMoment(moment, written);
      if (same > 0) addTerm(same === 2 ? this.full : this.near, term);
    }
  }
}

/** The index of a word's first two letters or digits, or -1 if they are not ASCII. */
function beginningOf(text: string, from: number, to: number): number {
  if (to - from < 2) return -1;
  const [first, second] = [text.charCodeAt(from), text.charCodeAt(from + 1)].map((code) => {
    if (code >= 0x61 && code <= 0x7a) return code - 0x61;
    if (code >= 0x41 && code <= 0x5a) return code - 0x41;
    return code >= 0x30 && code <= 0x39 ? code - 0x30 + 26 : -1;
  });
  return first === undefined || second === undefined || first < 0 || second < 0 ? -1 : first * 36 + second;
}
