/** How results write numbers: where they end, and the units around them. */
import { classOf, DIGIT, isDigit, LETTER, LOWER, OTHER, PAIRED, UPPER } from './words.ts';
import { unitInName, unitNamed, type Unit } from './units.ts';

const PERCENT = unitNamed('%');
/** How many letters and digits after a number are examined. */
const LONGEST_SUFFIX = 64;

export function digitsEnd(text: string, from: number, to: number): number {
  let at = from;
  while (isDigit(text, at, to)) at++;
  return at;
}

/** gauge_3, node-7 and v1.2 are names. */
export function isPartOfName(text: string, from: number): boolean {
  const before = text[from - 1];
  if (before === '_' || before === '$') return true;
  if (before !== '-' && before !== '.') return false;
  const kind = from < 2 ? OTHER : classOf(text.charCodeAt(from - 2));
  return before === '-' ? kind === LOWER || kind === UPPER || kind === LETTER : kind !== OTHER;
}

export function versionEnd(text: string, from: number, to: number): number {
  let at = from;
  while (at < to && (text[at] === '.' || isDigit(text, at, to))) at++;
  return at;
}

export function exponentEnd(text: string, from: number, to: number): number {
  if (text[from] !== 'e' && text[from] !== 'E') return from;
  const digits = text[from + 1] === '-' || text[from + 1] === '+' ? from + 2 : from + 1;
  return isDigit(text, digits, to) ? digitsEnd(text, digits, Math.min(to, digits + 3)) : from;
}

/** The end of 1,234,567, or of three fields that merely look like it, so the parts are tried as well. */
export function groupsEnd(text: string, from: number, whole: number, to: number): number {
  if (whole - from > 3) return whole;
  let at = whole;
  while (text[at] === ',' && isDigit(text, at + 1, to) && digitsEnd(text, at + 1, to) === at + 4) at += 4;
  return at;
}

interface Suffix {
  unit?: Unit;
  end: number;
  /** Without a space in between. */
  glued: boolean;
}

export function suffixAt(text: string, from: number, to: number): Suffix {
  if (text[from] === '%') return { unit: PERCENT, end: from + 1, glued: true };
  const start = text[from] === ' ' ? from + 1 : from;
  if (text[start] === '%') return { unit: PERCENT, end: start + 1, glued: false };
  let end = start;
  while (end < to && end - start < LONGEST_SUFFIX) {
    const kind = classOf(text.charCodeAt(end));
    if (kind === OTHER || kind === PAIRED || (kind === DIGIT && start > from)) break;
    end++;
  }
  const letters = end - start > 13 ? '' : (/^[a-zA-Zµμ]{1,12}/u.exec(text.slice(start, end))?.[0] ?? '');
  const unit = letters === '' ? undefined : unitNamed(letters);
  if (start > from) return { unit: letters.length === end - start ? unit : undefined, end: from, glued: false };
  // The unit may be followed by the next part of a duration, but not of a hash.
  const rest = end - start - letters.length;
  return {
    unit:
      rest === 0 || (unit?.dimension === 'time' && /^\d{1,2}[hms]/u.test(text.slice(start + letters.length, end)))
        ? unit
        : undefined,
    end,
    glued: end > from,
  };
}

const DURATION = /(?:\d{1,6}(?:\.\d{1,6})?(?:ms|us|ns|[dhms])){2,5}(?![\p{L}\p{N}])/uy;

export function durationAt(text: string, from: number, to: number): { seconds: number; end: number } | undefined {
  DURATION.lastIndex = from;
  const found = DURATION.exec(text)?.[0];
  if (found === undefined || from + found.length > to) return undefined;
  let seconds = 0;
  for (const [, value, name = ''] of found.matchAll(/([\d.]+)([a-z]+)/gu)) {
    seconds += Number(value) * (unitNamed(name)?.scales[0] ?? 0);
  }
  return { seconds, end: from + found.length };
}

const NAME_BEFORE = /([\p{L}\p{N}_%.-]{1,40})["']?\s?[=:]\s?["']?$/u;

/** The unit in `p99_ms=2312` or `"p99_ms": 2312`, where the number itself has none. */
export function unitBefore(text: string, from: number): Unit | undefined {
  const before = text.slice(Math.max(0, from - 3), from);
  if (!before.includes('=') && !before.includes(':')) return undefined;
  const name = NAME_BEFORE.exec(text.slice(Math.max(0, from - 46), from))?.[1];
  return name === undefined ? undefined : unitInName(name);
}
