export {
  MAX_SAMPLED_SPANS,
  spanFilter,
  traceOperations,
  type FoundTraces,
  type TraceQuery,
  type TraceReader,
} from './operations.ts';
export * from './span.ts';
