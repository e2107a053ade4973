/** Moments, as a chart of their own or as marks on another. */
import type { Datum, Layer } from '../chart-spec.ts';
import { isoOf, timeOf } from '../tables/index.ts';
import { textWidth } from '../text.ts';
import { WIDTH } from './axes.ts';
import type { Plan } from './plan.ts';
import { Labels, nameOf } from './labels.ts';
import type { Selection } from './select.ts';

interface Moment {
  at: number;
  label: string;
  series: string;
}

const LABEL_CHARACTERS = 80;
const SHORT_CHARACTERS = 34;
const SERIES_CHARACTERS = 60;
const LANES = 4;
const LANE_HEIGHT = 13;
const FONT_SIZE = 10;
const MAX_OVER_A_CHART = 50;

/** The moments of the rows in time order, skipping rows without a time. */
export function momentsOf({ rows }: Selection, { x, label, series }: Plan): Moment[] {
  const [field] = x;
  const kinds = new Labels(SERIES_CHARACTERS);
  const texts = new Labels(LABEL_CHARACTERS);
  return rows
    .flatMap((row): Moment[] => {
      const at = timeOf(row[field?.index ?? 0], field?.timeForm ?? 'iso');
      if (at === undefined) return [];
      const kind = series.length === 0 ? '' : kinds.of(nameOf(row, series));
      return [{ at, label: label ? texts.of(nameOf(row, [label])) : isoOf(at), series: kind }];
    })
    .sort((a, b) => a.at - b.at);
}

/**
 * Rules with texts above the plot, for moments within a window.
 * @returns the layers, how many moments are shown and how many text rows are above the plot
 */
export function eventLayers(
  moments: readonly Moment[],
  period: { from: number; to: number },
): { layers: Layer[]; shown: number; lanes: number } {
  const within = moments.filter(({ at }) => at >= period.from && at <= period.to).slice(0, MAX_OVER_A_CHART);
  if (within.length === 0) return { layers: [], shown: 0, lanes: 0 };
  const scale = (at: number): number => ((at - period.from) / Math.max(1, period.to - period.from)) * WIDTH;
  const ends: number[] = [];
  const rules: Datum[] = within.map(({ at }) => ({ x: isoOf(at) }));
  const texts = { left: [] as Datum[], right: [] as Datum[] };
  for (const { at, label } of within) {
    const short = label.length > SHORT_CHARACTERS ? `${label.slice(0, SHORT_CHARACTERS - 1)}…`.toWellFormed() : label;
    const width = textWidth(short, FONT_SIZE) + 8;
    const x = scale(at);
    // Near the end a text goes before its rule, to stay inside the chart.
    const side = x + width > WIDTH ? 'right' : 'left';
    const begin = side === 'left' ? x : x - width;
    const lane = [0, 1, 2, 3].find((one) => (ends[one] ?? -Infinity) <= begin);
    if (lane === undefined || lane >= LANES) continue;
    ends[lane] = begin + width;
    texts[side].push({ x: isoOf(at), label: short, lane: -6 - lane * LANE_HEIGHT });
  }
  const layers: Layer[] = [
    {
      data: { values: rules },
      mark: { type: 'rule', aria: false, color: '#555', strokeDash: [4, 3], strokeWidth: 1 },
      encoding: { x: { field: 'x', type: 'temporal' } },
    },
    ...(['left', 'right'] as const).flatMap((side) => textLayer(texts[side], side)),
  ];
  return { layers, shown: within.length, lanes: ends.length };
}

function textLayer(values: Datum[], align: 'left' | 'right'): Layer[] {
  if (values.length === 0) return [];
  return [
    {
      data: { values },
      mark: {
        type: 'text',
        aria: false,
        align,
        baseline: 'middle',
        dx: align === 'left' ? 2 : -2,
        fontSize: FONT_SIZE,
        color: '#333',
      },
      encoding: {
        x: { field: 'x', type: 'temporal' },
        // Lanes are pixel positions above the plot.
        y: { field: 'lane', type: 'quantitative', scale: null, axis: null },
        text: { field: 'label', type: 'nominal' },
      },
    },
  ];
}

export const eventSpace = (lanes: number): number => (lanes === 0 ? 0 : lanes * LANE_HEIGHT + 4);
