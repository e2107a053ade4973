/** Charts of stored tool results: tables found in them, series as data, Vega-Lite specifications, and SVG. */
import type { Room } from '../../room.ts';
import { seriesEndpoints } from './series/routes.ts';
export type { ChartSpec } from './chart-spec.ts';
export { chartOf, drawChart } from './draw-chart.ts';
export { GROUNDS, type Ground, renderSvg } from './render.ts';
export { hasSeries } from './series/series-in.ts';
export { tablesIn } from './tables/index.ts';
export { InvalidChart, validateChart } from './validate.ts';

export const chartsRoom = {
  name: 'charts',
  endpoints: seriesEndpoints,
} satisfies Room;
