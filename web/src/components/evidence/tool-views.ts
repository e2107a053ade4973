/** Lazy-loaded views of a tool result. */
import { lazy } from 'react';

/** The stored text. */
export const ToolResult = lazy(async () => ({ default: (await import('../text-viewer/tool-result.tsx')).ToolResult }));
/** The metric behind it, as a chart. */
export const ToolSeries = lazy(async () => ({ default: (await import('../chart/tool-series.tsx')).ToolSeries }));
