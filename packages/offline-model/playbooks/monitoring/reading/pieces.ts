/** The pieces of a message that may each want something else: sentences, and orders joined by `and`. */
import { hideQuotes, plain, unhide, type Hidden } from './quotes.ts';
import { SENTENCE } from './wishes.ts';

export interface Piece {
  /** As it was said, with its question mark. */
  text: string;
  /** Where it lies in the whole message. */
  from: number;
  to: number;
  /** Of which sentence it is. */
  sentence: number;
}

export interface Pieces {
  pieces: Piece[];
  /** The words from one piece to another, with what stands between them. */
  between: (first: Piece, last: Piece) => string;
}

const ORDER = String.raw`(?:pause|resume|stop|quit|remove|delete|drop|forget|disable|enable|mute|un-?mute|snooze|run|test|undo|revert|make|raise|lower|increase|decrease|reduce|set|change|switch|watch|monitor|observe|also|add|acknowledge|ack|only|just|don['’]?t|do not|never|check|investigate|tell me (?:what|which|how|why|who|where|when (?:is|are|do)|the|your|about)|show|list|give me|what|which|why|how|who|where|did|have you|are you|is (?:it|there|everything|anything)|anything)`;
/** Before an order, and not within `between 9 and 17` or `latency and errors`. */
const JOINT = new RegExp(
  String.raw`(?:\s*,\s*(?:and\s+(?:then\s+)?|then\s+|but\s+)?|\s+(?:and(?:\s+then|\s+please)?|then|but|plus)\s+)(?=(?:also\s+|please\s+|then\s+)*${ORDER}\b)`,
  'giu',
);
const MOST = 12;
const WORDS = /[\p{L}\p{N}\ue000-\ue3ff]/u;

export function piecesOf(text: string): Pieces {
  const hidden: Hidden = hideQuotes(plain(text), () => false);
  const ends = new RegExp(SENTENCE.source, 'giu');
  const pieces: Piece[] = [];
  let at = 0;
  let sentence = 0;
  for (const end of [...hidden.text.matchAll(ends), undefined]) {
    const to = end === undefined ? hidden.text.length : end.index;
    const mark = end !== undefined && end[0].includes('?') ? '?' : '';
    pieces.push(...ordersIn(hidden, at, to, mark, sentence));
    at = end === undefined ? to : end.index + end[0].length;
    sentence += 1;
  }
  return {
    pieces: pieces.slice(0, MOST),
    // More than that many are read as one.
    between: (first, last) =>
      unhide(hidden.text.slice(first.from, last === pieces[MOST - 1] ? hidden.text.length : last.to), hidden).trim(),
  };
}

function ordersIn(hidden: Hidden, from: number, to: number, mark: string, sentence: number): Piece[] {
  const said = hidden.text.slice(from, to);
  const joints = [...said.matchAll(JOINT)].filter(({ index }) => index > 0);
  const cuts = [
    { from: 0, to: 0 },
    ...joints.map(({ index, 0: joint }) => ({ from: index, to: index + joint.length })),
  ];
  return cuts.flatMap((cut, index): Piece[] => {
    const end = cuts[index + 1]?.from ?? said.length;
    const own = said.slice(cut.to, end);
    const isLast = index === cuts.length - 1;
    if (!WORDS.test(own)) return [];
    return [
      { text: `${unhide(own, hidden).trim()}${isLast ? mark : ''}`, from: from + cut.to, to: from + end, sentence },
    ];
  });
}
