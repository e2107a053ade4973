export { harmfulDirection, metricFamily, metricMeaning } from './metric-meaning.ts';
export { groupLogPatterns, type LogPattern, type LogPatterns } from './log-patterns/index.ts';
export { detectOnset, onsetTolerance, samplingInterval, type OnsetQuestion } from './onset.ts';
export { leadIn } from './confidence.ts';
export {
  compareSpans,
  type CallComparison,
  type EdgeComparison,
  type OperationComparison,
  type SpanComparison,
} from './traces/compare-spans.ts';
export type { Change as SpanChange } from './change.ts';
export { rankRootCauses } from './rank-root-causes.ts';
export { harmfulScore, leastSpread, seriesAnomaly, shareScale, type ComparedWindows } from './series-anomaly.ts';
export { buildServiceGraph, isTransport, nearest, reachableDownstream, type ServiceGraph } from './service-graph.ts';
export { lowerBound, quantile, robustSummary, type RobustSummary } from './statistics.ts';
export { measureSpans, type MeasuredSpan } from './traces/measure.ts';
export { isDuring } from './windows.ts';
export type * from './types.ts';
