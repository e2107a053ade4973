/** Log text: lines that start with a time, with the numbers and labels in them. */
import { linesOf } from './json-text.ts';
import { tableOf } from './infer.ts';
import { MAX_CELLS, type Cell, type Table } from './table.ts';

/** A time is at the start of a line, at most after a bracket, a level or a key. */
const HEAD_CHARACTERS = 80;
/** The rest of a longer line is ignored. */
const LINE_CHARACTERS = 2_000;
const LINES_LOOKED_AT = 200;
const MAX_PAIRS = 24;

const WRITTEN =
  /\d{4}[-/]\d{2}[-/]\d{2}[T ]\d{2}:\d{2}:\d{2}(?:[.,]\d{1,9})?(?:\s?(?:Z|[+-]\d{2}:?\d{2}))?|\d{2}\/[A-Z][a-z]{2}\/\d{4}:\d{2}:\d{2}:\d{2} [+-]\d{4}/u;
const COUNTED = /^\[?(\d{10}(?:\.\d{1,9})?|\d{13}|\d{16}|\d{19})(?=[\]\s:,])/u;
const LEVEL = /\b(?:trace|debug|info|notice|warn|warning|error|err|critical|crit|fatal|panic)\b/iu;
const PAIR =
  /(?<![\w.])([A-Za-z_][\w.]{0,60})=(?:"([^"\s]{1,60})"|(-?\d+(?:\.\d+)?)(ms|us|µs|ns|s|%|kB|KB|MB|GB|KiB|MiB|GiB|B)?(?![\w.])|([\w./:-]{1,60}))/gu;

/** @returns one row per line that starts with a time, or undefined if too few do */
export function logTable(text: string): Table | undefined {
  const sample = [];
  for (const line of linesOf(text)) {
    sample.push(line);
    if (sample.length === LINES_LOOKED_AT) break;
  }
  const timed = sample.filter((line) => timeIn(line) !== undefined).length;
  // Stack traces and wrapped messages leave most lines of some logs without a time.
  if (timed < 2 || timed < sample.length / 10) return undefined;

  const names = ['time', 'level', 'message'];
  const units = new Map<string, string>();
  const rows: Cell[][] = [];
  let total = 0;
  for (const line of linesOf(text)) {
    const time = timeIn(line);
    if (!time) continue;
    total += 1;
    if (rows.length * names.length > MAX_CELLS) continue;
    const message = line.slice(time.end, LINE_CHARACTERS).replace(/^[\]\s:,|-]+/u, '');
    const row: Cell[] = [time.text, LEVEL.exec(line.slice(0, 200))?.[0] ?? null, message];
    for (const { name, value, unit } of pairsIn(line.slice(0, LINE_CHARACTERS))) {
      if (!names.includes(name) && names.length < MAX_PAIRS + 3) names.push(name);
      if (unit !== undefined) units.set(name, unit);
      const index = names.indexOf(name);
      if (index > 2) row[index] ??= value;
    }
    rows.push(Array.from(row, (cell) => cell ?? null));
  }
  return tableOf({ name: 'lines', path: 'lines', form: 'log', names, rows, total, units, partial: false });
}

function timeIn(line: string): { text: string; end: number } | undefined {
  const head = line.slice(0, HEAD_CHARACTERS);
  const written = WRITTEN.exec(head);
  if (written) return { text: written[0], end: written.index + written[0].length };
  const counted = COUNTED.exec(head);
  return counted?.[1] === undefined ? undefined : { text: counted[1], end: counted[0].length };
}

/** The `key=value` pairs of a line. A number with a unit becomes a column per unit. */
function* pairsIn(line: string): Generator<{ name: string; value: string; unit?: string }> {
  for (const [, name = '', quoted, number, unit, word] of line.matchAll(PAIR)) {
    if (number !== undefined) yield unit ? { name: `${name} (${unit})`, value: number, unit } : { name, value: number };
    else yield { name, value: quoted ?? word ?? '' };
  }
}
