/** Numbers, times and names as observations show them. */
import { createHash } from 'node:crypto';
import { storableText } from '../../../platform/storable.ts';
import { oneLine, safeCut, toIso } from '../../tools/index.ts';

const SUBJECT_CHARACTERS = 200;

/**
 * A value with its unit, to three significant digits: `210 ms`, `54 %`, `1.5 GiB`, `12 connections`.
 * @param unit as sources state it: `s`, `ms`, `ratio`, `%`, `B`, `requests/s` …
 */
export function figure(value: number, unit?: string): string {
  const size = Math.abs(value);
  switch (unit?.trim().toLowerCase()) {
    case undefined:
    case '':
    case '1':
      return digits(value);
    case 's':
    case 'seconds':
      return inSeconds(value, size);
    case 'ratio':
    case 'fraction':
      return `${digits(value * 100)} %`;
    case '%':
    case 'percent':
    case 'percentage':
      return `${digits(value)} %`;
    case 'b':
    case 'bytes':
      return inBytes(value, size);
    default:
      return `${digits(value)} ${oneLine(unit ?? '', 30)}`;
  }
}

function inSeconds(value: number, size: number): string {
  if (size === 0 || size >= 1) return `${digits(value)} s`;
  return size >= 0.001 ? `${digits(value * 1_000)} ms` : `${digits(value * 1_000_000)} µs`;
}

function inBytes(value: number, size: number): string {
  const units = ['B', 'KiB', 'MiB', 'GiB', 'TiB'];
  const step = Math.min(units.length - 1, Math.max(0, Math.floor(Math.log2(Math.max(1, size)) / 10)));
  return `${digits(value / 1024 ** step)} ${units[step]}`;
}

/** Three significant digits; whole numbers up to a million in full. */
export function digits(value: number): string {
  if (Number.isInteger(value) && Math.abs(value) < 1_000_000) return String(value);
  return String(Number(value.toPrecision(3)));
}

/** A time of day in UTC, with the date: `2026-03-10T16:43:40Z`. */
export const at = (seconds: number): string => toIso(Math.floor(seconds));

/** A length of time: `90 s`, `5 min`, `2 h`, `3 d`. */
export function duration(seconds: number): string {
  for (const [length, unit] of [
    [86_400, 'd'],
    [3_600, 'h'],
    [60, 'min'],
  ] as const) {
    if (seconds >= length && seconds % length === 0) return `${seconds / length} ${unit}`;
  }
  return `${digits(seconds)} s`;
}

/**
 * A name that is the same in every run, on one line of at most `limit` characters. A longer one ends in a digest of the
 * whole, which keeps names distinct.
 */
export function stableName(name: string, limit = SUBJECT_CHARACTERS): string {
  const line = storableText(name)
    .replaceAll(/[\s\p{Cc}]+/gu, ' ')
    .trim();
  if (line.length <= limit) return line;
  return `${line.slice(0, safeCut(line, limit - 10))}… ${digestOf(name)}`;
}

/** Eight hexadecimal digits derived from a text. */
export const digestOf = (text: string): string => createHash('sha256').update(text).digest('hex').slice(0, 8);

/** The first few names, and how many more there are. */
export function listed(names: readonly string[], most = 5): string {
  const shown = names.slice(0, most).map((name) => oneLine(storableText(name), 60));
  const more = names.length - shown.length;
  return shown.join(', ') + (more > 0 ? ` and ${more} more` : '');
}

/** Names that share a word or a prefix with one that was not found; else the first ones. */
export function near(name: string, known: readonly string[], most = 5): string[] {
  const words = (text: string): string[] =>
    text
      .toLowerCase()
      .split(/[^a-z0-9]+/u)
      .filter(Boolean);
  const wanted = words(name);
  const scoreOf = (candidate: string): number => {
    const has = words(candidate);
    return wanted.reduce(
      (sum, word) => sum + (has.includes(word) ? 2 : has.some((one) => alike(one, word)) ? 1 : 0),
      0,
    );
  };
  const scored = known.map((candidate) => ({ candidate, score: scoreOf(candidate) }));
  const similar = scored.filter(({ score }) => score > 0).sort((a, b) => b.score - a.score);
  return (similar.length > 0 ? similar : scored).slice(0, most).map(({ candidate }) => candidate);
}

function alike(a: string, b: string): boolean {
  return a.startsWith(b) || b.startsWith(a) || (a.length > 2 && b.length > 2 && a.slice(0, 3) === b.slice(0, 3));
}
