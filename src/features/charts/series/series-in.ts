/** The series in a stored tool result: every value is a cell of a table found in it. */
import { z } from 'zod';
import { downsample, sharedTools } from '../../tools/index.ts';
import { ChartError } from '../request.ts';
import { fieldsOf, isWeak, measuresOf, primaryTime, telling, type Field } from '../spec/columns.ts';
import { Labels, nameOf } from '../spec/labels.ts';
import { planOf, type Plan } from '../spec/plan.ts';
import { numberOf, tablesIn, timeOf, type Cell, type Table, isoOf } from '../tables/index.ts';
import { plainText } from '../text.ts';
import { parseJson } from '../tables/json-text.ts';
import type { ToolResultSeriesResponse } from './schemas.ts';

type FoundSeries = Omit<z.output<typeof ToolResultSeriesResponse>, 'tool_id' | 'tool'>;
type OneSeries = FoundSeries['series'][number];

/** Longer results are skipped: parsing them would block everybody else. */
const MAX_CHARACTERS = 4_000_000;
const MAX_SERIES = 40;
const MAX_POINTS = 2_000;
const MAX_POINTS_OF_ALL = 20_000;
const LABEL_CHARACTERS = 160;
/** Columns that describe a whole series rather than a sample. */
const STATISTICS = /^(?:anomaly\..*|min|max|last)$/u;
/** If more rows than this share their time with another, they are not samples of one thing. */
const LEAST_DISTINCT = 0.9;

/**
 * Finds the series in a text: its most telling table over time, with rows grouped by what tells them apart.
 * @param title the metric's name if the text has none
 * @returns undefined if there are none; never throws, whatever the text
 */
export function seriesIn(content: string, title: string): FoundSeries | undefined {
  if (content.length > MAX_CHARACTERS) return undefined;
  const candidates = tablesIn(content)
    .filter(({ form }) => form !== 'log')
    .toSorted((a, b) => telling(b) - telling(a));
  for (const table of candidates) {
    const drawn = drawable(table);
    const series = drawn && seriesOf(table, drawn);
    if (!drawn || !series || series.all.length === 0) continue;
    const units = new Set(series.all.map(({ unit }) => unit));
    const { window, baseline } = windowsIn(content);
    return {
      title: plainText(drawn.y.title ?? title, 300),
      unit: units.size === 1 ? ([...units][0] ?? null) : null,
      window,
      baseline,
      anomaly_window: anomalyWindow(series.all, window),
      series: series.all,
      truncated: series.isCut || table.partial || table.total > table.rows.length,
    };
  }
  return undefined;
}

interface Drawn {
  time: Field;
  y: Field;
  plan: Plan;
}

/** Which columns of a table are its times and numbers. */
function drawable(table: Table): Drawn | undefined {
  const time = primaryTime(table);
  // Besides a sample's own value there are statistics of its series, equal for all its samples.
  const value = fieldsOf(table).find(({ name }) => name === 'value');
  const y = value ?? measuresOf(table).find((field) => !isWeak(field) && !STATISTICS.test(field.name));
  if (!time || y?.type !== 'quantitative') return undefined;
  try {
    const request = { mark: 'line', x: time.name, y: y.name } as const;
    return { time, y, plan: planOf(table, { rows: table.rows, groups: table.groups }, request) };
  } catch (error) {
    if (error instanceof ChartError) return undefined;
    throw error;
  }
}

function seriesOf(table: Table, { time, y, plan }: Drawn): { all: OneSeries[]; isCut: boolean } | undefined {
  const parts = new Map<string, Cell[][]>();
  for (const [index, row] of table.rows.entries()) {
    const cells = plan.series.map((field) => row[field.index] ?? null);
    const key = JSON.stringify(table.groups ? [table.groups[index]] : cells);
    const part = parts.get(key);
    if (part) part.push(row);
    else parts.set(key, [row]);
  }
  const labels = new Labels(LABEL_CHARACTERS);
  const most = Math.max(60, Math.min(MAX_POINTS, Math.floor(MAX_POINTS_OF_ALL / Math.min(parts.size, MAX_SERIES))));
  const all: OneSeries[] = [];
  let isCut = parts.size > MAX_SERIES;
  let samples = 0;
  let distinct = 0;
  const taken = new Set<string>();
  for (const rows of [...parts.values()].slice(0, MAX_SERIES)) {
    const [first = []] = rows;
    const found = samplesOf(rows, time, y);
    samples += found.total;
    distinct += found.times.length;
    if (!found.values.some(Number.isFinite)) continue;
    isCut ||= found.times.length > most;
    const text = textOf(table, first);
    const name = plan.series.length > 0 ? nameOf(first, plan.series) : [plan.subject ?? y.title ?? y.name];
    all.push({
      // Duplicate names are numbered.
      label: labels.of([...name, ...(taken.has(name.join()) ? [String(all.length + 1)] : [])]),
      service: text('service', 'labels.service', 'labels.service_name', 'labels.job'),
      statistic: text('statistic'),
      unit: text('unit') ?? y.unit ?? null,
      points: downsample(found.times, found.values, most).map(({ at, value }) => [new Date(at).toISOString(), value]),
      anomaly: anomalyIn(table, first),
    });
    taken.add(name.join());
  }
  return distinct < samples * LEAST_DISTINCT ? undefined : { all, isCut };
}

/** The samples of rows in time order; the last of several at the same time counts. */
function samplesOf(rows: readonly Cell[][], time: Field, y: Field) {
  const found = new Map<number, number>();
  let total = 0;
  for (const row of rows) {
    const at = timeOf(row[time.index], time.timeForm ?? 'iso');
    if (at === undefined) continue;
    total += 1;
    found.set(Math.round(at), numberOf(row[y.index]) ?? Number.NaN);
  }
  const times = [...found.keys()].sort((a, b) => a - b);
  return { times, values: times.map((at) => found.get(at) ?? Number.NaN), total };
}

/** Reads the first of some columns that holds a short text. */
function textOf(table: Table, row: readonly Cell[]): (...names: string[]) => string | null {
  return (...names) => {
    for (const name of names) {
      const cell = row[table.columns.findIndex((column) => column.name === name)];
      if (typeof cell === 'string' && cell.trim() !== '') return plainText(cell, LABEL_CHARACTERS);
    }
    return null;
  };
}

const period = z
  .object({ from: z.string(), to: z.string() })
  .transform(({ from, to }) => ({ from: timeOf(from, 'iso'), to: timeOf(to, 'iso') }))
  .transform(({ from, to }) => (from !== undefined && to !== undefined && from < to ? { from, to } : null))
  .catch(null);

const periods = z.object({ window: period, baseline: period, history: period }).catch({
  window: null,
  baseline: null,
  history: null,
});

type Period = FoundSeries['window'];

/** As the shared tools and monitoring checks name them; null if the text says nothing of the kind. */
function windowsIn(content: string): { window: Period; baseline: Period } {
  const { window, baseline, history } = periods.parse(parseJson(content));
  return { window: shown(window), baseline: shown(baseline ?? history) };
}

function shown(found: z.output<typeof period>): Period {
  return found && { from: isoOf(found.from), to: isoOf(found.to) };
}

type Anomaly = FoundSeries['series'][number]['anomaly'];

/** Read from the per-series columns of each sample; null if the result makes no comparison. */
function anomalyIn(table: Table, row: readonly Cell[]): Anomaly {
  const cell = (name: string): Cell =>
    row[table.columns.findIndex((column) => column.name === `anomaly.${name}`)] ?? null;
  const score = numberOf(cell('score'));
  if (score === undefined) return null;
  const direction = cell('direction');
  const onset = timeOf(cell('onset'), 'iso');
  return {
    score,
    direction: direction === 'up' || direction === 'down' ? direction : 'either',
    onset: onset === undefined ? null : isoOf(onset),
    baseline_median: numberOf(cell('baseline_median')) ?? null,
    baseline_spread: numberOf(cell('baseline_spread')) ?? null,
    incident_value: numberOf(cell('incident_value')) ?? null,
  };
}

/** From the onset of the series that moved most to the end of the queried window. */
function anomalyWindow(series: FoundSeries['series'], window: FoundSeries['window']): FoundSeries['anomaly_window'] {
  const moved = series.filter(({ anomaly }) => anomaly !== null && anomaly.onset !== null);
  const [worst] = moved.toSorted((a, b) => Math.abs(b.anomaly?.score ?? 0) - Math.abs(a.anomaly?.score ?? 0));
  const from = worst?.anomaly?.onset;
  const to = window?.to ?? worst?.points.at(-1)?.[0];
  if (!from || !to || Date.parse(from) > Date.parse(to)) return null;
  return { from, to };
}

/** Tools whose results are series. */
const SERIES_TOOLS: ReadonlySet<string> = new Set(['query_metric', 'promql']);
const SHARED: ReadonlySet<string> = new Set(sharedTools.map(({ name }) => name));
/** How the digests of those tools say that there are none. */
const NONE = /^0 series\b|: no series in the window$/u;

interface CallRow {
  name: string;
  status: string;
  isError: boolean;
  digest: string | null;
}

/**
 * Whether a call's result is known to hold series, from its row alone, since contents are large. A team's own tools may
 * return some too, which only reading them shows.
 */
export function hasSeries({ name, status, isError, digest }: CallRow): boolean {
  return SERIES_TOOLS.has(name) && status === 'completed' && !isError && !NONE.test(digest ?? '');
}

/** Whether a tool's results may hold series; those of the other shared tools never do. */
export function mayHoldSeries(name: string): boolean {
  return SERIES_TOOLS.has(name) || !SHARED.has(name);
}
