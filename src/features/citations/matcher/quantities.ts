/** Numbers as a text states them, rounded. */
import { unitNamed, type Dimension, type Unit } from './units.ts';

/**
 * A stated number with the range its wording leaves open. Bounds are in canonical units, or as written if there is no
 * unit.
 */
export interface Quantity {
  dimension?: Dimension;
  /** For each scale of the unit, the values that match within the rounding shown. */
  exact: readonly Interval[];
  /** Values close enough to be meant, though the text is more precise. */
  near: readonly Interval[];
  /** Significant digits: 1,200 has two. */
  digits: number;
  /** It has a unit, a decimal, or says that it is rounded: a measurement, not a count or an identifier. */
  measured: boolean;
  /** It must be present: more than a small count. */
  hard: boolean;
}

/** Inclusive on both ends. */
export type Interval = readonly [low: number, high: number];

/** A quantity and where it was read. */
interface FoundQuantity {
  quantity: Quantity;
  start: number;
  end: number;
  /** Written as "two", not as 2. */
  inWords: boolean;
}

const MOST = 'over|more than|above|exceed(?:s|ed|ing)?|at least|upwards? of|beyond';
const LEAST = 'under|below|less than|fewer than|nearly|almost|up to|at most|close to';
const ABOUT = '~|≈|about|around|roughly|approximately|approx\\.?|circa|some|nearly|almost|close to|some';
const UNIT = String.raw`(?:\s{0,2}%|[\s-]{0,2}(?:[a-zA-Zµμ]{1,12})\b)`;
const NUMBER = new RegExp(
  String.raw`(?<![\p{L}\p{N}_.#]|[\p{L}\p{N}]-)(?:\b(${MOST})\s+|\b(${LEAST})\s+|(${ABOUT})\s*)?` +
    String.raw`((?:\d{1,3}(?:,\d{3}){1,6}|\d{1,18})(?:\.\d{1,12})?)(?!\d)(${UNIT})?(?![\d]|\.\d)`,
  'giu',
);
/** As in 2,3 s: only before a unit, since commas also separate list items. */
const DECIMAL_COMMA = /(?<![\d,.])(\d{1,6}),(\d{1,2})(?=\s?(?:%|[a-zµ]{1,3}\b|prozent|sekunden|minuten|stunden))/giu;
const WORDS = new Map(
  'zero one two three four five six seven eight nine ten eleven twelve'
    .split(' ')
    .map((word, value): [string, number] => [word, value])
    .concat([
      ['fifteen', 15],
      ['twenty', 20],
      ['thirty', 30],
      ['forty', 40],
      ['fifty', 50],
      ['sixty', 60],
      ['hundred', 100],
    ]),
);
const IN_WORDS = new RegExp(String.raw`\b(${[...WORDS.keys()].join('|')})\b([\s-](?:[a-z]{1,12})\b)?`, 'giu');

/**
 * Every number in a text, in digits and, up to a hundred, in words. Factors (`3x`) are skipped: data rarely states
 * them.
 */
export function quantitiesIn(given: string): FoundQuantity[] {
  const found: FoundQuantity[] = [];
  const text = given.replaceAll(DECIMAL_COMMA, '$1.$2');
  for (const match of text.matchAll(NUMBER)) {
    const [whole, most, least, about, figures = '', suffix = ''] = match;
    const name = suffix.replace(/^[\s-]+/u, '');
    if (/^(?:x|fold|times as|st|nd|rd|th)$/iu.test(name) || text[match.index + whole.length] === '×') continue;
    const { unit, used } = unitAfter(text, match.index + whole.length, figures, suffix, name);
    const end = match.index + whole.length - (used ? 0 : suffix.length);
    const bound = most ? 'above' : least ? 'below' : undefined;
    found.push({
      quantity: quantityOf(figures, unit, bound, Boolean(about ?? least)),
      start: match.index,
      end,
      inWords: false,
    });
  }
  for (const match of text.matchAll(IN_WORDS)) {
    const value = WORDS.get(match[1]?.toLowerCase() ?? '') ?? 0;
    const unit = unitNamed((match[2] ?? '').slice(1).toLowerCase());
    // "One" is usually an article; "one of them".
    if (value === 1 && !unit) continue;
    const quantity = { ...quantityOf(String(value), unit, undefined, false), hard: unit !== undefined };
    const end = match.index + (unit ? match[0].length : match[1]!.length);
    found.push({ quantity, start: match.index, end, inWords: true });
  }
  return found;
}

/** The unit after a number, possibly of two words (`1.2 million bytes`, `5 GB`), and whether what follows is one. */
function unitAfter(
  text: string,
  end: number,
  figures: string,
  suffix: string,
  name: string,
): { unit: Unit | undefined; used: boolean } {
  // The plural of a status code: "returned 502s".
  if (name === 's' && suffix === 's' && /^[1-5]\d\d$/u.test(figures)) return { unit: undefined, used: true };
  const unit = name === '' ? undefined : unitNamed(name);
  if (!unit || unit.dimension !== 'count') return { unit, used: unit !== undefined };
  const second = unitNamed(/^\s{0,2}([a-zA-Z%]{1,12})\b/u.exec(text.slice(end, end + 16))?.[1] ?? '');
  if (!second || second.dimension === 'count') return { unit, used: true };
  return {
    unit: { ...second, scales: second.scales.flatMap((scale) => unit.scales.map((factor) => scale * factor)) },
    used: true,
  };
}

function quantityOf(
  figures: string,
  unit: Unit | undefined,
  bound: 'above' | 'below' | undefined,
  about: boolean,
): Quantity {
  const digits = figures.replaceAll(',', '');
  const value = Number(digits);
  const decimals = digits.split('.')[1]?.length ?? 0;
  const zeros = decimals > 0 ? 0 : (/[1-9](0+)$/u.exec(digits)?.[1]?.length ?? 0);
  const shown = 10 ** -decimals / 2;
  const rounded = 10 ** zeros / 2;
  const measured = unit !== undefined || decimals > 0 || about;
  const exactStep = about ? rounded : measured ? shown : 0;
  // Tolerance for unstated rounding; the more digits remain, the smaller.
  const nearStep = Math.max(decimals > 0 ? shown : 0.5, Math.min(rounded, value * 0.02));
  const interval = (step: number): Interval => [value - step, value + step];
  const open: Interval | undefined =
    bound === 'above' ? [value, value * 1.25] : bound === 'below' ? [value * 0.75, value] : undefined;
  const scales = unit?.scales ?? [1];
  const inUnits = (intervals: Interval[]): Interval[] =>
    scales.flatMap((scale) => intervals.map(([low, high]): Interval => [low * scale, high * scale]));
  return {
    dimension: unit?.dimension,
    exact: inUnits(open ? [open, interval(exactStep)] : [interval(exactStep)]),
    near: inUnits([interval(nearStep)]),
    digits: digits.replace('.', '').replace(/^0+/u, '').length - zeros,
    measured,
    hard: measured || value >= 10,
  };
}
