import type uPlot from 'uplot';
import type { Schema } from '../../api/client.ts';
import type { Theme } from '../../app/theme.ts';
import { clock } from './clock.ts';
import { lineStyle } from './palette.ts';
import { formatValue } from './units.ts';

export interface PlotSetting {
  data: Schema<'ToolResultSeriesResponse'>;
  theme: Theme;
  time: (at: Date) => string;
  width: number;
  height: number;
}

type Window = Schema<'ToolResultSeriesResponse'>['baseline'];

/** @param element the container, whose colours and font it takes */
export function plotOptions({ data, theme, width, height }: PlotSetting, element: Element): uPlot.Options {
  const style = getComputedStyle(element);
  const colour = (name: string): string => style.getPropertyValue(name);
  const font = `12px ${style.fontFamily}`;
  const axis: uPlot.Axis = {
    stroke: colour('--ink-soft'),
    font,
    grid: { stroke: colour('--line'), width: 1 },
    ticks: { stroke: colour('--line'), width: 1, size: 5 },
  };
  return {
    width,
    height,
    // Room for the last label of the time axis.
    padding: [12, 16, 0, 4],
    legend: { show: false },
    cursor: { drag: { x: true, y: false }, points: { size: 7 }, y: false },
    scales: { x: { time: true }, y: { range: rangeOf } },
    axes: [
      {
        ...axis,
        space: 80,
        size: 32,
        values: (plot, splits) => {
          const { min = 0, max = 0 } = plot.scales['x'] ?? {};
          const label = clock(max - min);
          return splits.map((at) => label(new Date(at * 1000)));
        },
      },
      {
        ...axis,
        values: (_, splits) => splits.map((value) => formatValue(value, data.unit)),
        size: (_, labels) => 18 + 7 * Math.max(3, ...(labels ?? []).map(({ length }) => length)),
      },
    ],
    series: [
      {},
      ...data.series.map(({ label }, index): uPlot.Series => {
        const { colour, dash } = lineStyle(index, theme);
        return {
          label,
          stroke: colour,
          width: index === 0 ? 2 : 1.5,
          ...(dash.length > 0 && { dash: [...dash] }),
          points: { show: (plot, at) => isAlone(plot.data[at] ?? []), size: 4 },
        };
      }),
    ],
    hooks: {
      drawClear: [
        (plot) => {
          shade(plot, data.baseline, colour('--sunken'), colour('--line'), {
            text: 'Baseline',
            ink: colour('--ink-soft'),
            font,
          });
          shade(plot, data.anomaly_window, colour('--bad-soft'), colour('--bad'), {
            text: 'Anomaly',
            ink: colour('--bad'),
            font,
          });
        },
      ],
    },
  };
}

/** Start at zero if that wastes little: a line at the bottom of the chart should mean zero. */
function rangeOf(_: uPlot, least: number | null, most: number | null): [number, number] {
  if (least === null || most === null) return [0, 1];
  const low = least >= 0 && least < most * 0.6 ? 0 : least;
  const room = (most - low) * 0.08 || Math.abs(most) * 0.1 || 1;
  return [low === 0 ? 0 : low - room, most + room];
}

/** A single sample needs a dot to be visible. */
const isAlone = (values: ArrayLike<unknown>): boolean => {
  let samples = 0;
  for (let at = 0; at < values.length && samples < 3; at++) if (typeof values[at] === 'number') samples++;
  return samples < 3;
};

interface Name {
  text: string;
  ink: string;
  font: string;
}

/** Shades a time range, with a line at its start and its name at the top. */
function shade(plot: uPlot, window: Window, fill: string, edge: string, name: Name): void {
  if (window === null) return;
  const { ctx, bbox } = plot;
  const ratio = devicePixelRatio;
  const at = (time: string): number => {
    const x = plot.valToPos(Date.parse(time) / 1000, 'x', true);
    return Math.min(Math.max(x, bbox.left), bbox.left + bbox.width);
  };
  const [left, right] = [at(window.from), at(window.to)];
  if (!(right > left)) return;
  ctx.save();
  ctx.fillStyle = fill;
  ctx.fillRect(left, bbox.top, right - left, bbox.height);
  ctx.strokeStyle = edge;
  ctx.lineWidth = ratio;
  ctx.setLineDash([4 * ratio, 3 * ratio]);
  ctx.beginPath();
  ctx.moveTo(left, bbox.top);
  ctx.lineTo(left, bbox.top + bbox.height);
  ctx.stroke();
  ctx.fillStyle = name.ink;
  ctx.font = name.font.replace('12px', `${11 * ratio}px`);
  ctx.textBaseline = 'top';
  ctx.textAlign = 'left';
  if (ctx.measureText(name.text).width + 8 * ratio < right - left) {
    ctx.fillText(name.text, left + 4 * ratio, bbox.top + 3 * ratio);
  }
  ctx.restore();
}
