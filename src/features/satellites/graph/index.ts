/** The live dependency graph: stored in PostgreSQL as satellites send it, queried from memory by any process. */
export { removeGraph } from './remove.ts';
export { createGraphStore, type DependencyGraphs, type SatelliteEdges } from './store.ts';
export { DEPENDENCY_QUERIES, UNKNOWN_KINDS } from './query/answer.ts';
export type * from './query/answer.ts';
