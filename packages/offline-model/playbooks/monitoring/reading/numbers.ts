/** Numbers and durations as people write them. */

const WORDS: Record<string, number> = {
  zero: 0,
  a: 1,
  an: 1,
  one: 1,
  two: 2,
  three: 3,
  four: 4,
  five: 5,
  six: 6,
  seven: 7,
  eight: 8,
  nine: 9,
  ten: 10,
  twelve: 12,
  fifteen: 15,
  twenty: 20,
  thirty: 30,
  'forty-five': 45,
  sixty: 60,
  half: 0.5,
};

/** A number in digits or as a word, for use in other expressions. */
export const NUMBER = String.raw`(?:\d{1,9}(?:[.,]\d{1,6})?|${Object.keys(WORDS)
  .toSorted((a, b) => b.length - a.length)
  .join('|')})`;
const UNITS: [RegExp, number][] = [
  [/^s(?:ec(?:ond)?s?)?$/i, 1],
  [/^m(?:in(?:ute)?s?)?$/i, 60],
  [/^h(?:(?:ou)?rs?)?$/i, 3_600],
  [/^d(?:ays?)?$/i, 86_400],
  [/^w(?:eeks?)?$/i, 604_800],
];
export const TIME_UNIT = String.raw`(?:s|secs?|seconds?|m|mins?|minutes?|h|hrs?|hours?|d|days?|w|weeks?)`;
/** `10 minutes`, `30s`, `half an hour`, `an hour`. */
export const DURATION = String.raw`(?:half\s+an?\s+|${NUMBER}[\s-]*)${TIME_UNIT}\b`;
const PARTS = new RegExp(String.raw`^(half\s+an?|${NUMBER})[\s-]*(${TIME_UNIT})$`, 'i');

/** @returns undefined when it is no number */
export function numberOf(text: string): number | undefined {
  const plain = text.trim().toLowerCase();
  const word = Object.hasOwn(WORDS, plain) ? WORDS[plain] : undefined;
  if (word !== undefined) return word;
  // A comma before exactly three digits separates thousands, otherwise decimals.
  const value = Number(/^\d{1,3},\d{3}$/.test(plain) ? plain.replace(',', '') : plain.replace(',', '.'));
  return plain === '' || Number.isNaN(value) ? undefined : value;
}

/** @returns seconds of a unit of time */
export function secondsOf(unit: string): number | undefined {
  return UNITS.find(([said]) => said.test(unit))?.[1];
}

/** @returns seconds of a text that is a duration and nothing else */
export function durationOf(text: string): number | undefined {
  const [, amount = '', unit = ''] = PARTS.exec(text.trim()) ?? [];
  const count = /^half/i.test(amount) ? 0.5 : numberOf(amount);
  const seconds = secondsOf(unit);
  return count === undefined || seconds === undefined ? undefined : Math.round(count * seconds);
}
