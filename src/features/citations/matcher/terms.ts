/** Turns a claim into terms to look for in a result. */
import type { Claim } from './claims.ts';
import { quantitiesIn, type Quantity } from './quantities.ts';
import { momentsIn, type Moment } from './times.ts';
import { IDEOGRAPH, isStopWord, isTelling, pairsOf, partsOf, relatedStems, stemOf } from './words.ts';

/** Something a claim states that a result can hold. */
export interface Term {
  /** `verbatim` terms are matched as written, the others by meaning. */
  kind: 'word' | 'verbatim' | 'quantity' | 'moment';
  /** The stem, or the text itself. */
  text: string;
  quantity?: Quantity;
  moment?: Moment;
  /** For a verbatim term: the stems of its words, which together nearly say the same. */
  parts?: readonly string[];
}

/** The weight of a term in one claim. */
export interface Weight {
  weight: number;
  /** Part of the statement itself: its absence counts against a piece. Other terms only count in favour. */
  stated: boolean;
}

/** The distinct terms of all claims, with their weight in each. */
export interface Query {
  terms: Term[];
  /** By claim, then by term; undefined if the claim does not have it. */
  weights: (Weight | undefined)[][];
}

/** As many as two 31-bit masks hold. */
export const MAX_TERMS = 62;
const LONGEST_VERBATIM = 200;
const CONTEXT_SHARE = 0.3;

const QUOTED =
  /`([^`\n]{2,200})`|"([^"\n]{3,200})"|[“„]([^“”„\n]{3,200})[”“]|«([^«»\n]{3,200})»|(?<![\p{L}\p{N}])'([^'\n]{4,200})'(?!\p{L})/gu;
const TOKEN = /[\p{L}\p{N}_$][\p{L}\p{N}\p{M}_$.:/#@-]{0,199}|\/[\p{L}\p{N}_.:/#@{}*-]{2,199}/gu;

/** The terms of claims; only the weightiest if there are more than {@link MAX_TERMS}. */
export function queryOf(claims: readonly Claim[]): Query {
  const perClaim = claims.map(({ statement, context }) => {
    const found = termsOf(statement, true);
    for (const [key, term] of termsOf(context, false)) if (!found.has(key)) found.set(key, term);
    return found;
  });
  const strongest = new Map<string, Term & { most: number }>();
  for (const found of perClaim) {
    for (const [key, { term, weight }] of found) {
      const most = Math.max(weight.weight + (weight.stated ? 10 : 0), strongest.get(key)?.most ?? 0);
      strongest.set(key, { ...term, most });
    }
  }
  const keys = [...strongest.keys()]
    .sort((a, b) => strongest.get(b)!.most - strongest.get(a)!.most)
    .slice(0, MAX_TERMS);
  return {
    terms: keys.map((key) => strongest.get(key)!),
    weights: perClaim.map((found) => keys.map((key) => found.get(key)?.weight)),
  };
}

type Found = Map<string, { term: Term; weight: Weight }>;

function termsOf(text: string, stated: boolean): Found {
  const found: Found = new Map();
  const add = (term: Term, weight: number, counts = stated): void => {
    const key = `${term.kind}:${term.text}`;
    const known = found.get(key);
    const scaled = stated ? weight : weight * CONTEXT_SHARE;
    if (!known || known.weight.weight < scaled) found.set(key, { term, weight: { weight: scaled, stated: counts } });
  };
  let rest = text;
  const blank = (start: number, end: number): void => {
    rest = rest.slice(0, start) + ' '.repeat(end - start) + rest.slice(end);
  };

  for (const match of text.matchAll(QUOTED)) {
    const quote = (match.slice(1).find((group) => group !== undefined) ?? '').trim();
    if (quote.length < 2) continue;
    add({ kind: 'verbatim', text: quote, parts: stemsWithin(quote) }, 1.5 + Math.min(2.5, quote.length / 16));
    for (const word of partsOf(quote)) addWord(word, 0.4, false);
    blank(match.index, match.index + match[0].length);
  }
  rest = rest.replaceAll(/[*`]/gu, ' ').replaceAll(/(?<![\p{L}\p{N}])_|_(?![\p{L}\p{N}])/gu, ' ');
  for (const { moment, start, end } of momentsIn(rest)) {
    add({ kind: 'moment', text: rest.slice(start, end), moment }, moment.second === undefined ? 0.6 : 2);
    blank(start, end);
  }
  for (const { quantity, start, end, inWords } of quantitiesIn(rest)) {
    const weight = quantity.hard ? 1.2 + Math.min(4, quantity.digits) * 0.2 + (quantity.measured ? 0.4 : 0) : 0.6;
    add({ kind: 'quantity', text: JSON.stringify(quantity), quantity }, inWords ? weight * 0.6 : weight);
    blank(start, end);
  }
  for (const [index, match] of [...rest.matchAll(TOKEN)].entries()) {
    const token = match[0].replace(/[.:/#@-]+$/u, '').replace(/['’]s$/u, '');
    if (IDEOGRAPH.test(token)) {
      for (const run of token.match(/[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]+/gu) ?? []) {
        for (const pair of pairsOf(run)) add({ kind: 'word', text: pair }, 0.7);
      }
    }
    if (isIdentifier(token)) {
      add({ kind: 'verbatim', text: token.slice(0, LONGEST_VERBATIM), parts: stemsWithin(token) }, 1.8);
      for (const part of partsOf(token)) addWord(part, 0.5, false);
    } else {
      addWord(token, /^\p{Lu}/u.test(token) && index > 0 ? 1.3 : 1, stated);
    }
  }
  return found;

  function addWord(word: string, weight: number, counts: boolean): void {
    const lower = word.toLowerCase();
    if (lower.length < 2 || isStopWord(lower) || IDEOGRAPH.test(lower) || /^\d+$/u.test(lower)) return;
    const stem = stemOf(lower);
    // The region, not the stem of "use".
    if (isTelling(stem) && lower !== 'us') add({ kind: 'word', text: stem }, weight * 0.2, false);
    else add({ kind: 'word', text: stem }, weight, counts);
  }
}

const stemsWithin = (text: string): string[] =>
  partsOf(text)
    .map((part) => part.toLowerCase())
    .filter((part) => !isStopWord(part) && !/^\d+$/u.test(part))
    .map(stemOf);

/** Identifiers: with a digit, an inner capital, or joining punctuation. */
function isIdentifier(token: string): boolean {
  if (!/\p{L}/u.test(token)) return /^[\d.]+:\d+$|^\d+(?:\.\d+){2,}/u.test(token);
  if (/\d/u.test(token) || /\p{Ll}\p{Lu}/u.test(token) || /[_$:/#@]/u.test(token)) return true;
  // Hyphens and dots join identifiers, but also ordinary words.
  return /\p{L}\.\p{L}/u.test(token) || /^\p{L}+(?:-\p{L}+){1,}$/u.test(token);
}

/** The stems by which a term is found, with their certainty: 2 for itself, 1 for a synonym. */
export function stemsOf({ kind, text }: Term): [stem: string, strength: 1 | 2][] {
  if (kind !== 'word') return [];
  return [[text, 2], ...relatedStems(text).map((stem): [string, 1] => [stem, 1])];
}
