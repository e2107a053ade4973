/** Everything that one message wants, in order: a change and a question are both answered. */
import { aspectsIn } from './reading/aspects.ts';
import { piecesOf, type Piece } from './reading/pieces.ts';
import { servicesIn } from './reading/services.ts';
import { takeNewLimit } from './reading/thresholds.ts';
import type { Service } from './reading/wish.ts';
import { FILLER } from './reading/wishes.ts';
import { readRequest, SETS, type Request } from './request.ts';

export interface Wanted {
  request: Request;
  /** The words that want it. */
  text: string;
}

interface Part extends Wanted {
  first: Piece;
  last: Piece;
}

const CONTENT = new Set<Request['kind']>(['watch', 'change', 'unclear', 'channel']);
/** Kinds that a piece without a word of its own may be read as. */
const WORDLESS = new Set<Request['kind']>(['watch', 'change', 'unclear', 'question', 'channel']);
const MOST = 5;
/** Said beside what is wanted, and wants nothing. */
const SMALL_TALK =
  /^\W*(?:(?:is|would|will|does) (?:that|this|it) (?:be )?(?:ok(?:ay)?|possible|fine|doable|alright|work(?: for you)?|make sense)|can you do that|sounds good|got it|makes sense|i see|never ?mind|no worries|as (?:always|usual)|have a (?:nice|good) \w+)\W*$/iu;
const REMARK =
  /^\W*(?:we|i|our|my|the (?:team|customers?|users?|boss)|last (?:night|week)|yesterday|today|it['’]?s|there (?:was|were|has|have))\b(?:['’](?:re|ve|m|d)\b)?[^?]*\b(?:are|am|is|was|were|had|have|has|been|got|saw|see(?:ing)?|re|ve|keep|kept|complain\w*|noticed)\b/iu;
const NAMES_CHECKS =
  /\b(?:logs?|health|instruction|dependenc\w+|metrics?|p\d{2,3}|(?:first|second|third|last)\s+(?:one|check))\b/iu;
/** A piece that says how what was named before it is to be, without an order of its own. */
const ORDERS =
  /^\W*(?:(?:please|now|then|and|also|but)\s+)*(?:check|run|do|only|just|don['’]?t|do not|never|no|notify|tell|investigate|use|be|change|set|make|raise|lower|increase|decrease|reduce|adjust|switch)\b/iu;

/**
 * @param services that are known by now @param hasChecks whether anything is watched already
 * @returns at least one; remarks that want nothing are left out where something else is wanted
 */
export function readRequests(text: string, services: readonly Service[], hasChecks: boolean): Wanted[] {
  const { pieces, between } = piecesOf(text);
  const whole: Wanted = { request: readRequest(text, services, hasChecks), text };
  if (pieces.length < 2) return [whole];
  const parts: Part[] = [];
  let has = hasChecks;
  for (const piece of pieces) {
    if (SMALL_TALK.test(piece.text)) continue;
    const read = readRequest(piece.text, services, has);
    if (read.kind === 'thanks' || read.kind === 'introduction') continue;
    if (WORDLESS.has(read.kind) && FILLER.test(piece.text)) continue;
    const request: Request = isRemark(piece.text, read) ? { kind: 'remark' } : read;
    const before = parts.at(-1);
    if (before && belongs(before, piece, request, services)) {
      before.last = piece;
      before.text = between(before.first, piece);
      continue;
    }
    parts.push({ request, text: piece.text, first: piece, last: piece });
    has ||= request.kind === 'watch';
  }
  const [only] = parts;
  if (!only || (parts.length === 1 && only.first === pieces[0] && only.last === pieces.at(-1))) return [whole];
  // Read again: what was joined may mean more than its beginning.
  return parts
    .slice(0, MOST)
    .map((part, index) => ({
      text: part.text,
      request: part.first === part.last ? part.request : { ...readJoined(part, services, hasChecks || index > 0) },
    }))
    .concat(parts.slice(MOST).map(({ text: rest }) => ({ text: rest, request: { kind: 'unclear' as const } })));
}

function readJoined({ request, text }: Part, services: readonly Service[], hasChecks: boolean): Request {
  const read = readRequest(text, services, hasChecks);
  return CONTENT.has(read.kind) || read.kind === request.kind ? read : request;
}

/** Something is told, nothing is asked for. */
function isRemark(text: string, { kind }: Request): boolean {
  return (kind === 'watch' || kind === 'unclear' || kind === 'change') && REMARK.test(text) && !WISHES.test(text);
}
const WISHES =
  /\b(?:watch|monitor|observe|keep an eye|tell|alert|notify|warn|page|check|look|want|need|would like|let (?:me|us) know|every|add|above|below|instead|set|make)\b|[<>]/iu;

/** Whether a piece goes on with what was said before it. */
function belongs(before: Part, piece: Piece, request: Request, services: readonly Service[]): boolean {
  const { kind } = before.request;
  if (!CONTENT.has(kind) || !CONTENT.has(request.kind)) return false;
  if (kind === 'unclear' || kind === 'channel') return request.kind === kind;
  // Where to report is said for what is watched.
  if (request.kind === 'channel') return true;
  if (kind === 'watch') return request.kind !== 'change' || !(SETS.test(piece.text) && names(piece.text, services));
  if (request.kind === 'watch') return false;
  if (request.kind === 'unclear') return piece.sentence === before.last.sentence || !ORDERS.test(piece.text);
  const hasLimit = (text: string): boolean => takeNewLimit({ text }).threshold !== undefined;
  const isOwn =
    names(piece.text, services) ||
    (hasLimit(piece.text) && !hasLimit(before.text) && !names(before.text, services)) ||
    (piece.sentence !== before.last.sentence && names(before.text, services));
  return !(isOwn && ORDERS.test(piece.text));
}

function names(text: string, services: readonly Service[]): boolean {
  return NAMES_CHECKS.test(text) || aspectsIn(text).length > 0 || servicesIn(text, services).names.length > 0;
}
