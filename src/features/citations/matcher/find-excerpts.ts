/** Finds, without a model, the pieces of a tool result that support what a text cites it for. */
import { choicesFor, likeliest, type Choice } from './choose.ts';
import { claimsOf, type Claim } from './claims.ts';
import { holdingsOf, type Holdings } from './holdings.ts';
import { hasTerm, type TermSet } from './scan.ts';
import type { Span } from './sentences.ts';
import { queryOf, type Query } from './terms.ts';
import { layOutJson } from './layout-json.ts';
import { layOutLines } from './layout-lines.ts';
import { Layout } from './pieces.ts';

export interface ExcerptQuery {
  /** The whole tool result. */
  content: string;
  citationId: number;
  /** The text that cites it. */
  text: string;
  /** Maximum number of excerpts; 5 by default. */
  most?: number;
}

export const MAX_EXCERPTS = 5;
/** Neighbouring pieces are joined up to this length, in UTF-16 code units. */
const LONGEST_EXCERPT = 1_000;
/** Up to this length, the group around a piece is cited instead of the piece. */
const WHOLE_GROUP = 300;
const LONGEST_LABEL = 200;

/**
 * The pieces of a result that support a citation: lexically, and numerically within the rounding the text shows. No
 * excerpt is better than a wrong one: a number that the result contradicts yields none.
 * @returns verbatim substrings of `content` in order, each about 1,000 characters at most; empty if nothing supports
 *   the claim or the text makes none with this citation
 */
export function findExcerpts(query: ExcerptQuery): string[] {
  return excerptsOf(query, read(query));
}

/** How many candidates to offer. */
export interface CandidateBounds {
  most: number;
  /** Total characters of all candidates. */
  characters: number;
}

export interface Matches {
  /** See {@link findExcerpts}. */
  excerpts: string[];
  /** Candidates that may support the citation, likeliest first. */
  candidates: string[];
  /** What the text claims with the citation; empty if nothing. */
  claims: Claim[];
}

/**
 * Excerpts and candidates from one reading; if hardly anything is found, the candidates include the start of the
 * result.
 */
export function findMatches(query: ExcerptQuery, bounds: CandidateBounds): Matches {
  const asked = read(query);
  return {
    excerpts: excerptsOf(query, asked),
    candidates: asked && bounds.most > 0 ? candidatesOf(query, asked, bounds) : [],
    claims: asked?.claims ?? [],
  };
}

/** A result as read for one text. */
interface Reading {
  holdings: Holdings;
  query: Query;
  claims: Claim[];
}

function read({ content, citationId, text }: ExcerptQuery): Reading | undefined {
  const claims = claimsOf(text, citationId);
  if (claims.length === 0 || content.trim() === '') return undefined;
  const query = queryOf(claims);
  return { holdings: holdingsOf(layOut(content), query), query, claims };
}

function excerptsOf({ content, most = MAX_EXCERPTS }: ExcerptQuery, reading: Reading | undefined): string[] {
  if (!reading) return [];
  const { holdings, query } = reading;
  const choices = takeTurns(choicesFor(holdings, query), most);
  return cutOut(content, withLabels(holdings, query, choices, most));
}

function candidatesOf({ content }: ExcerptQuery, { holdings, query }: Reading, bounds: CandidateBounds): string[] {
  const candidates = new Set<string>();
  const { layout } = holdings;
  let left = bounds.characters;
  const add = ({ start, end }: Span): void => {
    const text = content.slice(start, end);
    if (candidates.size >= bounds.most || text.length > left || candidates.has(text)) return;
    candidates.add(text);
    left -= text.length;
  };
  for (const choice of likeliest(holdings, query, bounds.most)) add(spanOf(holdings, choice));
  for (let piece = 0; candidates.size < bounds.most / 4 && piece < Math.min(layout.length, bounds.most); piece++) {
    add({ start: layout.start(piece), end: layout.end(piece) });
  }
  return [...candidates];
}

/** The best piece of each claim, then the second best of each, and so on. */
function takeTurns(choices: readonly (readonly Choice[])[], most: number): Choice[] {
  const taken: Choice[] = [];
  const longest = Math.max(0, ...choices.map(({ length }) => length));
  for (let rank = 0; rank < longest && taken.length < most; rank++) {
    for (const choice of choices.flatMap((list) => list[rank] ?? [])) {
      if (taken.length < most && !taken.some(({ piece }) => piece === choice.piece)) taken.push(choice);
    }
  }
  return taken;
}

/** The piece, or the short group around it if only that says what the piece is about. */
function spanOf({ layout, groups }: Holdings, { piece, above }: Choice): Span {
  const own = { start: layout.start(piece), end: layout.end(piece) };
  if (isEmpty(above)) return own;
  const group = layout.group(piece);
  const whole = layout.groups[group]?.whole;
  const says = groups[group]?.says;
  return whole && says && intersects(says, above) && whole.end - whole.start <= WHOLE_GROUP ? whole : own;
}

/** The chosen spans and, while there is room, the labels (headers, names) that say what they are about. */
function withLabels(holdings: Holdings, { terms }: Query, choices: readonly Choice[], most: number): Span[] {
  const spans = choices.map((choice) => spanOf(holdings, choice));
  const { layout } = holdings;
  for (const { piece, above } of choices) {
    if (isEmpty(above) || spans.length >= most) continue;
    const label = labelFor(layout.group(piece), above);
    if (label && !spans.some(({ start, end }) => label.start >= start && label.end <= end)) spans.push(label);
  }
  return spans;

  function labelFor(from: number, above: TermSet): Span | undefined {
    const wanted = terms.filter(({ kind }, index) => kind !== 'quantity' && hasTerm(above, index));
    for (let group = from; group >= 0; group = layout.groups[group]!.parent) {
      const { labels, form } = layout.groups[group]!;
      for (const label of labels) {
        const text = layout.content.slice(label.start, label.end);
        if (text.length > LONGEST_LABEL || (form === 'json' && !/["'}]$/u.test(text.trim()))) continue;
        // A property's name alone is too little to read.
        if (form === 'json' && !text.includes(':')) continue;
        if (wanted.some((term) => text.toLowerCase().includes(term.text.toLowerCase()))) return label;
      }
    }
    return undefined;
  }
}

/** Joins neighbours, drops nested spans, and keeps only text found in the content. */
function cutOut(content: string, spans: readonly Span[]): string[] {
  const joined: Span[] = [];
  for (const span of spans.toSorted((a, b) => a.start - b.start || b.end - a.end)) {
    const last = joined.at(-1);
    if (!last || !isNext(content, last, span)) joined.push({ ...span });
    else last.end = Math.max(last.end, span.end);
  }
  const excerpts = joined.map(({ start, end }) => content.slice(start, end).trim());
  return [...new Set(excerpts)].filter((excerpt) => excerpt !== '' && content.includes(excerpt));
}

function isNext(content: string, last: Span, next: Span): boolean {
  if (next.end <= last.end) return true;
  if (next.end - last.start > LONGEST_EXCERPT) return false;
  return next.start <= last.end || /^[\s,]{0,8}$/u.test(content.slice(last.end, Math.min(next.start, last.end + 9)));
}

const isEmpty = ({ low, high }: TermSet): boolean => (low | high) === 0;
const intersects = (a: TermSet, b: TermSet): boolean => ((a.low & b.low) | (a.high & b.high)) !== 0;

/** Splits JSON (even truncated, or one value per line) by structure, anything else by lines. */
function layOut(content: string): Layout {
  const layout = new Layout(content);
  const end = layOutJson(layout);
  if (end < content.length) layOutLines(layout, end);
  return layout;
}
