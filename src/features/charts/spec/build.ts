/** Builds a Vega-Lite specification with inline data from tables and a request. */
import { count } from '../../tools/index.ts';
import {
  MAX_DATA_BYTES,
  MAX_POINTS,
  VEGA_LITE_SCHEMA,
  type ChartSource,
  type ChartSpec,
  type Datum,
  type Encoding,
  type Layer,
  type MarkDef,
} from '../chart-spec.ts';
import { ChartError, type ChartRequest } from '../request.ts';
import type { Table } from '../tables/index.ts';
import { plainText, titleText } from '../text.ts';
import { tableNamed } from './columns.ts';
import { drawEvents, drawSeries, type Drawing } from './draw.ts';
import { eventLayers, eventSpace, momentsOf } from './events.ts';
import { planOf } from './plan.ts';
import { filterText, select } from './select.ts';

/** A stored result and what to draw of it. */
export interface ChartInput {
  tables: readonly Table[];
  source: Omit<ChartSource, 'table' | 'path'>;
  request: ChartRequest;
}

interface BuiltChart {
  spec: ChartSpec;
  /** One line about the chart. */
  digest: string;
}

const SUBTITLE_CHARACTERS = 115;
const MAX_SUBTITLES = 5;

/**
 * Draws a table. Every value in the chart is a cell of the table, or an aggregate the request asked for; the subtitle
 * and `usermeta.casebook` say what was left out.
 * @param input.request what to draw; gaps are filled with sensible choices
 * @param events a table of moments to mark on a chart over time
 * @throws {ChartError} if there is no such table or column, or the request cannot be drawn
 */
export function buildChart(input: ChartInput, events?: ChartInput): BuiltChart {
  const table = tableNamed(input.tables, input.request.table);
  const selection = select(table, input.request.filter ?? []);
  const plan = planOf(table, selection, input.request);
  const fit = (limit: number): Drawing =>
    plan.mark === 'event'
      ? drawEvents(selection, plan, input.request)
      : drawSeries(selection, plan, input.request, limit);
  const drawing = withinBytes(fit);
  const marks = events ? eventMarks(events, drawing) : undefined;
  const notes = [...notesOf(table, input.request), ...drawing.notes, ...(marks?.notes ?? [])];
  const title = titleText(input.request.title ?? drawing.title, 120);
  const source = sourceOf(input, table);
  const head = {
    $schema: VEGA_LITE_SCHEMA,
    title: {
      text: title,
      subtitle: subtitles([`${source.tool}: ${source.table}`, ...notes]),
      anchor: 'start' as const,
      limit: 760,
      offset: 10 + eventSpace(marks?.lanes ?? 0),
    },
    description: plainText(`${drawing.digest}. ${title}`, 500),
    width: drawing.width,
    height: drawing.height,
    background: 'white',
    config: { font: 'Helvetica, Arial, sans-serif', view: { stroke: null } },
    usermeta: {
      casebook: {
        source,
        ...(marks && { events: marks.source }),
        mark: drawing.mark,
        ...(plan.aggregate && { aggregate: plan.aggregate }),
        points: drawing.values.length,
        total_points: drawing.totalPoints,
        series: drawing.series,
        total_series: drawing.totalSeries,
        downsampled: drawing.downsampled,
        notes,
      },
    },
    data: { values: drawing.values },
  };
  const view: { mark: MarkDef; encoding: Encoding } = { mark: drawing.markDef, encoding: drawing.encoding };
  const layers: Layer[] = marks?.layers ?? [];
  const spec: ChartSpec = layers.length > 0 ? { ...head, layer: [view, ...layers] } : { ...head, ...view };
  return {
    spec,
    digest: `${drawing.digest}${marks && marks.shown > 0 ? `, ${count(marks.shown, 'event')} marked` : ''}`,
  };
}

/** Reduces points until their JSON is small enough. */
function withinBytes(fit: (limit: number) => Drawing): Drawing {
  let limit = MAX_POINTS;
  for (;;) {
    const drawing = fit(limit);
    const bytes = bytesOf(drawing.values);
    if (bytes <= MAX_DATA_BYTES) return drawing;
    if (limit <= 100) throw new ChartError('The texts of this table are too long to be drawn; filter it, or set top.');
    limit = Math.max(100, Math.floor((Math.min(limit, drawing.values.length) * MAX_DATA_BYTES * 0.9) / bytes));
  }
}

function bytesOf(values: readonly Datum[]): number {
  return Buffer.byteLength(JSON.stringify(values), 'utf8');
}

function eventMarks(events: ChartInput, { period }: Drawing) {
  if (!period) throw new ChartError('Events can only be marked over a chart that has times across.');
  const table = tableNamed(events.tables, events.request.table);
  const selection = select(table, events.request.filter ?? []);
  const moments = momentsOf(selection, planOf(table, selection, { ...events.request, mark: 'event' }));
  const { layers, shown, lanes } = eventLayers(moments, period);
  const source = sourceOf(events, table);
  const which = `${shown} of ${count(moments.length, 'event')} of ${source.tool} (${source.table})`;
  return { layers, shown, lanes, source, notes: [`${which} ${shown === 1 ? 'lies' : 'lie'} in the time shown`] };
}

function sourceOf({ source }: ChartInput, table: Table): ChartSource {
  return { ...source, table: plainText(table.name, 300), path: plainText(table.path, 300) };
}

function notesOf(table: Table, request: ChartRequest): string[] {
  const filters = (request.filter ?? []).map(filterText);
  return [
    ...(filters.length > 0 ? [plainText(`Only rows where ${filters.join(' and ')}`, 300)] : []),
    ...(table.partial ? ['The tool left something out of its result'] : []),
    ...(table.total > table.rows.length ? [`The first ${table.rows.length} of ${table.total} rows were read`] : []),
  ];
}

/** Wraps notes onto as few lines as possible. */
function subtitles(notes: readonly string[]): string[] {
  const lines: string[] = [];
  for (const note of notes) {
    const last = lines.at(-1);
    const joined = last === undefined ? note : `${last} · ${note}`;
    if (last !== undefined && joined.length <= SUBTITLE_CHARACTERS) lines[lines.length - 1] = joined;
    else lines.push(plainText(note, SUBTITLE_CHARACTERS));
  }
  return lines.slice(0, MAX_SUBTITLES);
}
