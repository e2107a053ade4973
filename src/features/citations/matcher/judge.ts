/** Whether a piece of a result supports a claim, and how well. */
import type { Holding, Holdings } from './holdings.ts';
import { addTerm, hasTerm, KIND, type TermSet } from './scan.ts';
import type { Term, Weight } from './terms.ts';

/** One claim's view of one piece. */
export interface Judgement {
  holding: Holding;
  /** Rare terms weigh more; for comparing pieces. */
  score: number;
  /** Stated terms that the piece holds itself. */
  own: TermSet;
  /** Stated terms held only by the groups above it. */
  above: TermSet;
  supports: boolean;
  /** It is about something else: another record, time, address or version. */
  isOfAnother: boolean;
}

/** How well a piece holds a term: itself, nearly, or through the groups above it. */
const FULL = 1;
const NEAR = 0.55;
const ABOVE = 0.7;

/** Shares of what a claim states, tuned on the tuning half of the labelled set. */
const ENOUGH_TOPIC_WITH_NUMBER = 0.25;
const ENOUGH_WITHOUT_NUMBER = 0.45;
const MAX_OF_A_WORD = 0.9;
const ENOUGH_BY_NAME_ALONE = 0.6;
const ENOUGH_AGAINST_MISSING_NUMBER = 0.6;

/** @returns a function that judges pieces for one claim */
export function judgeFor(
  holdings: Holdings,
  terms: readonly Term[],
  weights: readonly (Weight | undefined)[],
): (holding: Holding) => Judgement {
  const { layout, groups, siblings, frequency } = holdings;
  const most = Math.log(1 + layout.length);
  const rarity = frequency.map((count) => Math.log(1 + layout.length / Math.max(1, count)) / most);
  return (holding) => {
    const above = groups[layout.group(holding.piece)];
    const tally = new Tally(layout.length === 1);
    const beside = siblings.get(layout.group(holding.piece));
    const isRecord = layout.form(holding.piece) !== 'text';
    let score = 0;
    const own: TermSet = { low: 0, high: 0 };
    const only: TermSet = { low: 0, high: 0 };
    for (let index = 0; index < terms.length; index++) {
      const weight = weights[index];
      if (!weight) continue;
      const term = terms[index]!;
      const itself = hasTerm(holding.full, index) ? FULL : hasTerm(holding.near, index) ? NEAR : 0;
      const held = itself || (above && term.kind !== 'quantity' && hasTerm(above.says, index) ? ABOVE : 0);
      score += weight.weight * rarity[index]! * held;
      if (!weight.stated) continue;
      const holders = isRecord ? (beside?.holding[index] ?? 0) : 0;
      const telling = holders > 0 && holders * 2 <= (beside?.pieces ?? 0);
      tally.add(term, weight.weight, held, { itself: itself > 0, count: frequency[index]!, telling });
      if (held > 0) addTerm(itself > 0 ? own : only, index);
    }
    const kinds = holding.kinds;
    const around = kinds | (above?.kinds ?? 0);
    return {
      holding,
      score,
      own,
      above: only,
      supports: tally.supports(kinds, around),
      isOfAnother: tally.isOfAnother(around),
    };
  };
}

/** What a claim states, summed by how telling it is. */
class Tally {
  #topic = { stated: 0, held: 0, terms: 0, known: false };
  #all = { stated: 0, held: 0 };
  #numbers: { term: Term; held: number; count: number }[] = [];
  #moments: { held: number }[] = [];
  #figures: { held: number }[] = [];
  readonly #alone: boolean;
  #tells = false;
  #namesAnother = false;
  #quoted = 0;
  #named = false;

  /** @param alone the result has only one piece */
  constructor(alone: boolean) {
    this.#alone = alone;
  }

  /** @param found.telling some sibling records hold the term, but not most */
  add(
    term: Term,
    weight: number,
    held: number,
    { itself, count, telling }: { itself: boolean; count: number; telling: boolean },
  ): void {
    // A word absent from the whole result is more likely a synonym than a missing fact.
    const stated = count > 0 || term.kind !== 'word' ? weight : weight / 2;
    this.#all.stated += stated;
    this.#all.held += stated * held;
    if (term.kind === 'quantity') {
      if (term.quantity?.hard) this.#numbers.push({ term, held: itself ? held : 0, count });
    } else if (term.kind === 'moment') {
      this.#moments.push({ held });
    } else {
      if (FIGURES.test(term.text)) this.#figures.push({ held });
      this.#topic.stated += stated;
      if (telling && itself) this.#tells = true;
      else if (telling && held === 0 && weight >= MAX_OF_A_WORD) this.#namesAnother = true;
      if (count > 0) this.#topic.known = true;
      this.#topic.held += stated * held;
      if (held > 0) this.#topic.terms += 1;
      if (term.kind === 'verbatim' && held === FULL) this.#named = true;
      if (term.kind === 'verbatim' && held >= ABOVE && term.text.length >= 12) this.#quoted += weight;
    }
  }

  /** @param kinds of numbers in the piece and the groups above it */
  isOfAnother(kinds: number): boolean {
    return this.#isOfAnotherThing(kinds) || this.#isOfAnotherTime(kinds);
  }

  #isOfAnotherThing(kinds: number): boolean {
    // The claim names the subject of a sibling record, and nothing specific to this one.
    if (this.#namesAnother && !this.#tells) return true;
    return lacksAll(this.#figures) && (kinds & KIND.figures) !== 0;
  }

  #isOfAnotherTime(kinds: number): boolean {
    return lacksAll(this.#moments) && (kinds & KIND.moment) !== 0;
  }

  supports(kinds: number, kindsAround: number): boolean {
    if (this.#isOfAnotherThing(kindsAround)) return false;
    const topic = this.#topic.stated === 0 ? 0 : this.#topic.held / this.#topic.stated;
    const coverage = this.#all.stated === 0 ? 0 : this.#all.held / this.#all.stated;
    const number = this.#numbers.filter(({ held }) => held > 0);
    const moment = this.#moments.some(({ held }) => held > 0);
    if (this.#numbers.length > 0 && number.length === 0) {
      if (this.#quoted > 2 && topic >= ENOUGH_WITHOUT_NUMBER) return true;
      if (this.#numbers.some(({ term }) => isComparable(term, kinds))) return false;
      return topic >= ENOUGH_AGAINST_MISSING_NUMBER && this.#topic.terms >= 2;
    }
    if (this.#isOfAnotherTime(kindsAround)) return number.length > 0 && topic >= ENOUGH_AGAINST_MISSING_NUMBER;
    if (number.length > 0) {
      if (topic >= ENOUGH_TOPIC_WITH_NUMBER || this.#alone) return true;
      if (moment && (topic > 0 || this.#topic.stated === 0)) return true;
      // The result uses other words throughout, so the number must be unique in it.
      return (
        !this.#topic.known && number.some(({ term, held, count }) => held === FULL && count === 1 && isTelling(term))
      );
    }
    const enough = this.#topic.terms >= 2 || this.#quoted > 0 || topic >= 0.9 || (moment && topic >= 0.5);
    if (enough) return coverage >= ENOUGH_WITHOUT_NUMBER;
    return this.#named && coverage >= ENOUGH_BY_NAME_ALONE;
  }
}

const lacksAll = (wanted: readonly { held: number }[]): boolean =>
  wanted.length > 0 && wanted.every(({ held }) => held === 0);

/** Addresses and versions. */
const FIGURES = /^v?\d{1,5}(?:\.\d{1,5}){2,3}(?:\/\d+|:\d+)?$/u;

/** A match by chance is unlikely. */
const isTelling = ({ quantity }: Term): boolean =>
  quantity !== undefined && quantity.digits >= (quantity.dimension === undefined ? 4 : 2);

function isComparable({ quantity }: Term, kinds: number): boolean {
  const dimension = quantity?.dimension;
  if (dimension === undefined || dimension === 'count') return (kinds & KIND.count) !== 0;
  return (kinds & (KIND[dimension] | KIND.count)) !== 0;
}
