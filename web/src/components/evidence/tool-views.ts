/** Lazy-loaded views of a tool result. */
import { lazy } from 'react';

/** The stored text. */
export const ToolResult = lazy(async () => ({ default: (await import('../text-viewer/tool-result.tsx')).ToolResult }));
/** The metric behind it, as a chart. */
export const ToolSeries = lazy(async () => ({ default: (await import('../chart/tool-series.tsx')).ToolSeries }));
/** The trace it returned, as a waterfall. */
export const ToolTrace = lazy(async () => ({ default: (await import('../trace/tool-trace.tsx')).ToolTrace }));

/** The tool whose results are traces. */
export const TRACE_TOOL = 'get_trace';
