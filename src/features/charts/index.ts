/** Charts of stored tool results: found tables, Vega-Lite specifications, and their drawing as SVG. */
export type { ChartSpec } from './chart-spec.ts';
export { chartOf, drawChart } from './draw-chart.ts';
export { renderSvg } from './render.ts';
export { tablesIn } from './tables/index.ts';
export { InvalidChart, validateChart } from './validate.ts';
