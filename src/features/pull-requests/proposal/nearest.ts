/** Where a file resembles a piece that was not found in it. */

const MAX_LINES = 20_000;
const MAX_LINE = 300;
const MAX_PLACES = 2;
const SHOWN_LINES = 6;
/** Share of common character pairs from which lines count as alike. */
const ALIKE = 0.5;

/**
 * The places whose first line is most like that of the piece, best first: the Sørensen-Dice coefficient of the lines'
 * character pairs, regardless of white space.
 */
export function nearestPlaces(text: string, piece: string): { line: number; text: string }[] {
  const wanted = piece.split('\n').filter((line) => line.trim() !== '');
  const [first] = wanted;
  if (first === undefined) return [];
  const pairs = pairsOf(first);
  const lines = text.split('\n', MAX_LINES);
  return lines
    .map((line, index) => ({ index, likeness: likeness(pairs, pairsOf(line)) }))
    .filter((place) => place.likeness >= ALIKE)
    .sort((a, b) => b.likeness - a.likeness)
    .slice(0, MAX_PLACES)
    .map(({ index }) => ({
      line: index + 1,
      text: lines
        .slice(index, index + Math.min(wanted.length, SHOWN_LINES))
        .map((line) => line.slice(0, MAX_LINE))
        .join('\n'),
    }));
}

function pairsOf(line: string): Map<string, number> {
  const plain = line.slice(0, MAX_LINE).replaceAll(/\s+/gu, '').toLowerCase();
  const pairs = new Map<string, number>();
  for (let at = 0; at + 1 < plain.length; at++) {
    const pair = plain.slice(at, at + 2);
    pairs.set(pair, (pairs.get(pair) ?? 0) + 1);
  }
  return pairs;
}

function likeness(a: ReadonlyMap<string, number>, b: ReadonlyMap<string, number>): number {
  const size = (pairs: ReadonlyMap<string, number>): number => pairs.values().reduce((sum, n) => sum + n, 0);
  const total = size(a) + size(b);
  const common = a.entries().reduce((sum, [pair, n]) => sum + Math.min(n, b.get(pair) ?? 0), 0);
  return total === 0 ? 0 : (2 * common) / total;
}
