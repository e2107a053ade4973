/** The text of a delta that says which one it is and when it was made. */

/** Text of one delta: three or four words. */
const WORDS = 'and so the checkout ';

/** @param at milliseconds since 1970 */
export const deltaText = (sequence: number, at: number): string => `<${sequence}@${at.toFixed(2)}>${WORDS}`;

/** The deltas in a piece of a stream that holds whole ones. */
export function* deltasIn(text: string): Generator<{ sequence: number; at: number }> {
  for (let from = text.indexOf('<'); from >= 0; from = text.indexOf('<', from + 1)) {
    const middle = text.indexOf('@', from);
    const end = text.indexOf('>', middle);
    if (middle < 0 || end < 0) return;
    yield { sequence: Number(text.slice(from + 1, middle)), at: Number(text.slice(middle + 1, end)) };
  }
}

/** Calls `write` for each of so many streams so often a second, the streams in turns, as independent writers would. */
export async function paced(
  { streams, perSecond, seconds }: { streams: number; perSecond: number; seconds: number },
  write: (stream: number, sequence: number) => void,
): Promise<void> {
  const total = streams * perSecond * seconds;
  const began = performance.now();
  for (let i = 0; i < total;) {
    const due = Math.min(total, Math.floor(((performance.now() - began) * streams * perSecond) / 1000));
    for (; i < due; i++) write(i % streams, Math.floor(i / streams));
    await new Promise((resolve) => setTimeout(resolve, 1));
  }
}
