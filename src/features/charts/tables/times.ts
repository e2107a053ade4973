/** Times as results write them. */
import { numberOf, type Cell, type TimeForm } from './table.ts';

const ISO =
  /^\s*(\d{4})[-/](\d{2})[-/](\d{2})(?:[T ](\d{2}:\d{2})(?::(\d{2})(?:[.,](\d{1,9}))?)?\s?(Z|UTC|[+-]\d{2}(?::?\d{2})?)?)?\s*$/iu;
const CLF = /^(\d{2})\/([A-Z][a-z]{2})\/(\d{4}):(\d{2}:\d{2}:\d{2}) ([+-]\d{2})(\d{2})$/u;
const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];

/** The years 2000 to 2100 in seconds; numbers outside are hardly times. */
const EARLIEST = 946_684_800;
const LATEST = 4_102_444_800;
const SCALES = [
  ['s', 1],
  ['ms', 1e3],
  ['us', 1e6],
  ['ns', 1e9],
] as const;

const TIME_WORDS = new Set(
  'time times timestamp timestamps ts t at date datetime when start started end ended begin from to first last onset since until epoch created updated finished clock'.split(
    ' ',
  ),
);

/** Whether a name is a time's: its last word is `at`, `time`, `timestamp` or similar. */
export function isTimeName(name: string): boolean {
  const words = name
    .replaceAll(/([a-z\d])([A-Z])/gu, '$1 $2')
    .toLowerCase()
    .split(/[^a-z\d]+/u);
  return TIME_WORDS.has(words.findLast((word) => word !== '') ?? '');
}

/**
 * Reads a cell of a temporal column. Without an offset it is UTC.
 * @returns milliseconds since 1970, or undefined if the cell has another form
 */
export function timeOf(cell: Cell | undefined, form: TimeForm): number | undefined {
  if (form === 'iso') return typeof cell === 'string' ? isoTime(cell) : undefined;
  if (form === 'clf') return typeof cell === 'string' ? clfTime(cell) : undefined;
  const scale = scaleOf(form);
  // Nineteen digits exceed a number's precision.
  if (form === 'ns' && typeof cell === 'string' && /^\d{16,20}$/u.test(cell)) return Number(BigInt(cell) / 1_000_000n);
  const value = numberOf(cell);
  if (value === undefined || value < EARLIEST * scale || value >= LATEST * scale) return undefined;
  return (value / scale) * 1000;
}

/** The time format of a cell. Numbers count only if `named`: the column's name or place says time. */
export function timeFormOf(cell: Cell, named: boolean): TimeForm | undefined {
  if (typeof cell === 'string') {
    if (isoTime(cell) !== undefined) return 'iso';
    if (clfTime(cell) !== undefined) return 'clf';
  }
  if (!named || typeof cell === 'boolean') return undefined;
  return SCALES.find(([form]) => timeOf(cell, form) !== undefined)?.[0];
}

/** @param milliseconds since 1970 */
export function isoOf(milliseconds: number): string {
  return new Date(milliseconds).toISOString().replace('.000Z', 'Z');
}

/** Reads a time from a request: ISO 8601, or seconds, milliseconds, … since 1970. */
export function requestedTime(value: string | number): number | undefined {
  const form = timeFormOf(value, true);
  return form === undefined ? undefined : timeOf(value, form);
}

function scaleOf(form: TimeForm): number {
  return SCALES.find(([name]) => name === form)?.[1] ?? 1;
}

function isoTime(text: string): number | undefined {
  if (text.length > 45) return undefined;
  const [, year, month, day, minutes = '00:00', seconds = '00', fraction = '0', zone = 'Z'] = ISO.exec(text) ?? [];
  if (year === undefined) return undefined;
  const offset = /^(?:z|utc)$/iu.test(zone) ? 'Z' : `${zone.slice(0, 3)}:${zone.slice(3).replace(':', '') || '00'}`;
  return valid(Date.parse(`${year}-${month}-${day}T${minutes}:${seconds}.${fraction.slice(0, 3)}${offset}`));
}

function clfTime(text: string): number | undefined {
  if (text.length !== 26) return undefined;
  const [, day, month = '', year, time, hours, minutes] = CLF.exec(text) ?? [];
  const number = MONTHS.indexOf(month) + 1;
  if (number === 0) return undefined;
  return valid(Date.parse(`${year}-${String(number).padStart(2, '0')}-${day}T${time}${hours}:${minutes}`));
}

function valid(milliseconds: number): number | undefined {
  return Number.isNaN(milliseconds) ? undefined : milliseconds;
}
