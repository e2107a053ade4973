/** Chooses the few pieces that support the claims of a query. */
import { MAX_ALIKE, type Holdings } from './holdings.ts';
import { judgeFor, type Judgement } from './judge.ts';
import { hasTerm, type TermSet } from './scan.ts';
import type { Query } from './terms.ts';

/** Pieces compared with each other per claim. */
const SHORTLIST = 80;

/** Pieces this far apart may be about the same thing. */
const NEAR_PIECES = 3;
/** The share of a claim that another piece of it must hold. */
const FURTHER_FACT = 0.2;
/** A point of a series is no longer than this. */
const LONGEST_POINT = 80;

/** A cited piece, and why. */
export interface Choice {
  piece: number;
  score: number;
  /** Stated terms held only by the groups above the piece. */
  above: TermSet;
}

/** The best supporting pieces of each claim, first claim first. */
export function choicesFor(holdings: Holdings, query: Query): Choice[][] {
  return query.weights.map((weights) => {
    const judge = judgeFor(holdings, query.terms, weights);
    return chooseFrom(shortlist(holdings, judge), query.terms, weights, holdings);
  });
}

/** The highest-scoring pieces over all claims, supporting or not. */
export function likeliest(holdings: Holdings, query: Query, most: number): Choice[] {
  const best = new Map<number, Choice>();
  for (const weights of query.weights) {
    for (const { holding, score, above } of shortlist(holdings, judgeFor(holdings, query.terms, weights), most)) {
      const known = best.get(holding.piece);
      if (!known || known.score < score) best.set(holding.piece, { piece: holding.piece, score, above });
    }
  }
  return [...best.values()].sort((a, b) => b.score - a.score).slice(0, most);
}

/** The best pieces; of those that hold exactly the same, the first few. */
function shortlist(
  { found }: Holdings,
  judge: (holding: Holdings['found'][number]) => Judgement,
  most = SHORTLIST,
): Judgement[] {
  const list: Judgement[] = [];
  const alike = new Map<string, number>();
  let worst = 0;
  for (const holding of found) {
    const judgement = judge(holding);
    if (judgement.score <= worst) continue;
    const key = `${judgement.score}:${keyOf(judgement.own)}:${keyOf(judgement.above)}`;
    const count = alike.get(key) ?? 0;
    alike.set(key, count + 1);
    if (count > MAX_ALIKE) continue;
    list.push(judgement);
    if (list.length >= most * 2) {
      list.sort(byScore).length = most;
      worst = list.at(-1)!.score;
    }
  }
  return list.sort(byScore).slice(0, most);
}

const byScore = (a: Judgement, b: Judgement): number => b.score - a.score || a.holding.piece - b.holding.piece;

function chooseFrom(
  judged: readonly Judgement[],
  terms: Query['terms'],
  weights: Query['weights'][number],
  { layout, frequency }: Holdings,
): Choice[] {
  const best = judged.find(({ supports }) => supports);
  if (!best) return [];
  const alike = judged.filter(
    ({ supports, score, own }) => supports && score >= best.score * 0.999 && equal(own, best.own),
  );
  const chosen = alike.length <= MAX_ALIKE ? alike : [best];
  const covered: TermSet = { ...best.own };
  for (const other of judged) {
    if (chosen.includes(other) || other.score > best.score || equal(other.own, best.own)) continue;
    const same = (other.supports || isBeside(other, best)) && addsTo(other, covered, terms);
    if (!same && !isFurtherFact(other, covered)) continue;
    chosen.push(other);
    covered.low |= other.own.low;
    covered.high |= other.own.high;
  }
  return chosen.map(({ holding, score, above }) => ({ piece: holding.piece, score, above }));

  /** Another point of the same series: "from 180 ms to 2.3 s at 10:42" gives the time of only one of them. */
  function isBeside({ holding }: Judgement, { holding: first }: Judgement): boolean {
    const { piece } = holding;
    const isPoint = layout.form(piece) === 'json' && layout.end(piece) - layout.start(piece) <= LONGEST_POINT;
    return isPoint && layout.group(piece) === layout.group(first.piece);
  }

  /** Another part of the claim, stated nearby and about nothing else. */
  function isFurtherFact({ own, isOfAnother, holding }: Judgement, found: TermSet): boolean {
    if (isOfAnother || !chosen.some((other) => Math.abs(other.holding.piece - holding.piece) <= NEAR_PIECES))
      return false;
    let [stated, fresh, count] = [0, 0, 0];
    for (const [index, weight] of weights.entries()) {
      if (!weight?.stated) continue;
      stated += weight.weight;
      if (!hasTerm(own, index) || hasTerm(found, index)) continue;
      fresh += weight.weight;
      const isUnmistakable = frequency[index] === 1 && (terms[index]!.quantity?.digits ?? 0) >= 3;
      count += isUnmistakable ? 2 : 1;
    }
    return count >= 2 && fresh >= stated * FURTHER_FACT;
  }

  /** It holds a number or literal of the claim that no other piece does, and is about the same thing. */
  function addsTo({ own, above }: Judgement, covered: TermSet, all: Query['terms']): boolean {
    let [fresh, words] = [0, 0];
    for (const [index, term] of all.entries()) {
      if (!hasTerm(own, index)) {
        if (hasTerm(above, index)) words += 1;
        continue;
      }
      const isStrong = term.kind === 'verbatim' || term.quantity?.hard;
      if (isStrong && !hasTerm(covered, index)) {
        fresh += 1;
        // A long name stands on its own.
        if (term.kind === 'verbatim' && term.text.length >= 8) words += 1;
      } else if (term.kind === 'word' || term.kind === 'verbatim') words += 1;
    }
    return fresh > 0 && words > 0;
  }
}

const equal = (a: TermSet, b: TermSet): boolean => a.low === b.low && a.high === b.high;
const keyOf = ({ low, high }: TermSet): string => `${low},${high}`;
