/** Stores of the customer's that are asked in their own languages. */
export { postgresql } from './postgresql/index.ts';
export { clickhouse } from './clickhouse/index.ts';
export { elasticsearch, opensearch } from './search/index.ts';
export { kubernetes } from '../kubernetes/index.ts';
