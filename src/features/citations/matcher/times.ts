/** Points in time as texts and telemetry write them. */

/** A time as written; undefined for what is not. */
export interface Moment {
  year?: number;
  /** 1 to 12. */
  month?: number;
  day?: number;
  /** Seconds since midnight, local to where it was written. */
  second?: number;
  /** The precision in seconds: 60 for 10:42, 1 for 10:42:07. */
  precision: number;
  /** Minutes east of UTC. */
  zone?: number;
}

/** A moment and its position. */
interface FoundMoment {
  moment: Moment;
  start: number;
  end: number;
}

const DAY = 86_400;
const MONTHS = 'jan feb mar apr may jun jul aug sep oct nov dec'.split(' ');
/** Minutes east of UTC. Ambiguous abbreviations (CST, IST, BST) mean the most common zone. */
const ZONES: Record<string, number> = Object.fromEntries(
  `z 0 utc 0 gmt 0 wet 0 west 60 bst 60 cet 60 cest 120 eet 120 eest 180 msk 180 ist 330
  est -300 edt -240 cst -360 cdt -300 mst -420 mdt -360 pst -480 pdt -420 akst -540 hst -600
  sgt 480 jst 540 kst 540 aest 600 aedt 660 nzst 720 nzdt 780`
    .split('\n')
    .flatMap((line) =>
      [...line.matchAll(/([a-z]+) (-?\d+)/gu)].map(([, name = '', minutes]) => [name, Number(minutes)]),
    ),
);

const CLOCK = String.raw`(\d{1,2}):(\d{2})(?::(\d{2})(?:[.,]\d{1,9})?)?`;
const OFFSET = String.raw`(Z|[+-]\d{2}:?\d{2}|(?:UTC|GMT)(?:[+-]\d{1,2})?)`;
const ISO = String.raw`(\d{4})[-/](\d{2})[-/](\d{2})(?:[T ]\s?${CLOCK}\s?${OFFSET}?)?`;
const MONTH = String.raw`(jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]{0,6}\.?`;

const IN_TEXT = {
  iso: new RegExp(ISO, 'gu'),
  clock: new RegExp(
    String.raw`(?<![\d:.])${CLOCK}(?![\d:])(?:\s?(am|pm|a\.m\.|p\.m\.))?(?:\s?\(?(${Object.keys(ZONES).join('|')})\b([+-]\d{1,2})?)?`,
    'giu',
  ),
  hour: new RegExp(String.raw`(?<![\d:.])(\d{1,2})\s?(am|pm)\b(?:\s?\(?(${Object.keys(ZONES).join('|')})\b)?`, 'giu'),
  dayFirst: new RegExp(String.raw`(?<!\d)(\d{1,2})(?:st|nd|rd|th)?\.?\s${MONTH}(?:,?\s(\d{4}))?\b`, 'giu'),
  monthFirst: new RegExp(String.raw`\b${MONTH}\s{1,2}(\d{1,2})(?:st|nd|rd|th)?\b(?!:)(?:,?\s(\d{4}))?\b`, 'giu'),
};

/** Every date and time of day in a text. If there is only one date, times without a date get it. */
export function momentsIn(text: string): FoundMoment[] {
  const found: FoundMoment[] = [];
  const add = (match: RegExpMatchArray & { index: number }, moment: Moment | undefined): void => {
    const start = match.index;
    const end = start + match[0].length;
    if (moment && !found.some((other) => start < other.end && end > other.start)) found.push({ moment, start, end });
  };
  for (const match of text.matchAll(IN_TEXT.iso)) add(match, isoMoment(match));
  for (const match of text.matchAll(IN_TEXT.clock)) {
    const [, hour, minute, second, half, zone, shift] = match;
    const clock = clockOf(hour, minute, second, half);
    if (clock) add(match, { ...clock, zone: zoneOf(zone, shift) });
  }
  for (const match of text.matchAll(IN_TEXT.hour)) {
    const clock = clockOf(match[1], '00', undefined, match[2]);
    if (clock) add(match, { ...clock, precision: 3_600, zone: zoneOf(match[3]) });
  }
  for (const match of text.matchAll(IN_TEXT.dayFirst)) add(match, dateOf(match[3], match[2], match[1]));
  for (const match of text.matchAll(IN_TEXT.monthFirst)) add(match, dateOf(match[3], match[1], match[2]));
  const dates = found.filter(({ moment }) => moment.second === undefined);
  const { year, month, day } = dates.length === 1 ? dates[0]!.moment : {};
  for (const item of found) {
    if (item.moment.day === undefined) item.moment = { ...item.moment, year, month, day };
  }
  return found;
}

const AT = {
  iso: new RegExp(ISO, 'yu'),
  compact: /(\d{4})(\d{2})(\d{2})T(\d{2})(\d{2})(\d{2})(?:[.,]\d{1,9})?(Z)?/uy,
  clf: new RegExp(String.raw`(\d{2})/([A-Z][a-z]{2})/(\d{4}):${CLOCK}(?:\s?${OFFSET})?`, 'yu'),
  clock: new RegExp(String.raw`${CLOCK}(?:\s?(am|pm)\b)?(?:\s?${OFFSET})?`, 'iyu'),
};

/**
 * The time at a position of a result.
 * @param digits how many digits start there
 * @returns the moment and its end, or undefined if there is no time
 */
export function momentAt(text: string, at: number, digits: number): { moment: Moment; end: number } | undefined {
  const next = text[at + digits];
  if (digits === 4 && (next === '-' || next === '/')) return read(AT.iso, text, at, isoMoment);
  if (digits <= 2 && next === ':') {
    return read(AT.clock, text, at, ([, hour, minute, second, half, zone]) => {
      const clock = clockOf(hour, minute, second, half);
      return clock && { ...clock, zone: offsetOf(zone) };
    });
  }
  if (digits === 2 && next === '/') {
    return read(AT.clf, text, at, ([, day, month, year, hour, minute, second, zone]) => {
      const clock = clockOf(hour, minute, second);
      return clock && { ...dateOf(year, month, day), ...clock, zone: offsetOf(zone) };
    });
  }
  if (digits === 8 && next === 'T') {
    return read(AT.compact, text, at, ([, year, month, day, hour, minute, second, zone]) => {
      const clock = clockOf(hour, minute, second);
      return clock && { year: Number(year), month: Number(month), day: Number(day), ...clock, zone: offsetOf(zone) };
    });
  }
  return undefined;
}

/** Whole seconds or milliseconds since 1970, between 2001 and 2039. */
export function momentOfEpoch(value: number): Moment | undefined {
  const seconds = value >= 1e12 ? value / 1_000 : value;
  if (seconds < 1e9 || seconds > 2.18e9) return undefined;
  const date = new Date(seconds * 1_000);
  return {
    year: date.getUTCFullYear(),
    month: date.getUTCMonth() + 1,
    day: date.getUTCDate(),
    second: Math.floor(seconds % DAY),
    precision: 1,
    zone: 0,
  };
}

/**
 * Whether a result's time is the one a text names: 2 within its precision (10:42 is any second of that minute), 1 if it
 * rounds to it, 0 otherwise. A time without a zone counts as UTC, or as the zone the other side gives.
 */
export function sameMoment(said: Moment, written: Moment): 0 | 1 | 2 {
  if (said.second === undefined) return sameDay(said, written, 0) ? 2 : 0;
  if (written.second === undefined) return 0;
  const shifts = said.zone === undefined ? [0, -(written.zone ?? 0) * 60] : [(said.zone - (written.zone ?? 0)) * 60];
  let best: 0 | 1 | 2 = 0;
  for (const shift of new Set(shifts)) {
    // The text's time on the result's clock.
    const target = said.second - shift;
    const late = (((written.second - target) % DAY) + DAY) % DAY;
    if (late < said.precision && sameDay(said, written, Math.floor(target / DAY))) return 2;
    if (DAY - late <= said.precision / 2 && sameDay(said, written, Math.floor(target / DAY))) best = 1;
  }
  return best;
}

/** @param days how many days ahead the result's clock is */
function sameDay(said: Moment, written: Moment, days: number): boolean {
  if (said.day === undefined || written.day === undefined) return said.second !== undefined;
  const day = new Date(Date.UTC(said.year ?? written.year ?? 2000, (said.month ?? 1) - 1, said.day + days));
  if (day.getUTCDate() !== written.day || day.getUTCMonth() + 1 !== written.month) return false;
  return said.year === undefined || written.year === undefined || day.getUTCFullYear() === written.year;
}

function read(
  pattern: RegExp,
  text: string,
  at: number,
  make: (match: RegExpExecArray) => Moment | undefined,
): { moment: Moment; end: number } | undefined {
  pattern.lastIndex = at;
  const match = pattern.exec(text);
  const moment = match && make(match);
  return moment ? { moment, end: at + match[0].length } : undefined;
}

function isoMoment([, year, month, day, hour, minute, second, zone]: RegExpMatchArray): Moment | undefined {
  const date = { year: Number(year), month: Number(month), day: Number(day) };
  if (date.month < 1 || date.month > 12 || date.day < 1 || date.day > 31) return undefined;
  if (hour === undefined) return { ...date, precision: DAY };
  const clock = clockOf(hour, minute, second);
  return clock && { ...date, ...clock, zone: offsetOf(zone) };
}

function clockOf(
  hour: string | undefined,
  minute: string | undefined,
  second: string | undefined,
  half?: string,
): { second: number; precision: number } | undefined {
  const [h, m, s] = [Number(hour), Number(minute), Number(second ?? 0)];
  if (!(h <= 24 && m < 60 && s <= 60) || (half !== undefined && (h < 1 || h > 12))) return undefined;
  const hours = half === undefined ? h : (h % 12) + (/^p/iu.test(half) ? 12 : 0);
  return { second: hours * 3_600 + m * 60 + s, precision: second === undefined ? 60 : 1 };
}

function dateOf(year: string | undefined, month: string | undefined, day: string | undefined): Moment | undefined {
  const index = MONTHS.indexOf((month ?? '').slice(0, 3).toLowerCase());
  const number = Number(day);
  if (index < 0 || number < 1 || number > 31) return undefined;
  return { year: year === undefined ? undefined : Number(year), month: index + 1, day: number, precision: DAY };
}

function zoneOf(name: string | undefined, shift?: string): number | undefined {
  const zone = name === undefined ? undefined : ZONES[name.toLowerCase()];
  return zone === undefined ? undefined : zone + Number(shift ?? 0) * 60;
}

function offsetOf(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const numeric = /^([+-])(\d{2}):?(\d{2})$/u.exec(text);
  if (!numeric) return zoneOf(/^[a-z]+/iu.exec(text)?.[0], /[+-]\d{1,2}$/u.exec(text)?.[0]);
  return (numeric[1] === '-' ? -1 : 1) * (Number(numeric[2]) * 60 + Number(numeric[3]));
}
