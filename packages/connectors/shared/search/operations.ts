import { z } from 'zod';
import { defineOperation, type ConnectorOperation } from '../../connector.ts';
import { countParameters, indexName, searchBody, searchParameters, selected } from './query.ts';
import type { SearchTransport } from './transport.ts';

const CAT_COLUMNS = 'health,status,index,pri,rep,docs.count,docs.deleted,store.size,creation.date.string';

/**
 * The five operations that Elasticsearch and OpenSearch have in common.
 * @param timeoutMs maximum duration of a search, unless the caller asks for less
 */
export function searchOperations(transport: SearchTransport, timeoutMs: number): ConnectorOperation[] {
  return [
    defineOperation({
      name: 'indices',
      description: 'The indices, or those that match a pattern, largest first: health, documents, bytes.',
      parameters: z.strictObject({ pattern: indexName.optional() }),
      tool: true,
      run: ({ pattern }, context) =>
        transport.ask(
          {
            method: 'GET',
            path: ['_cat', 'indices', ...(pattern === undefined ? [] : [pattern])],
            query: { format: 'json', bytes: 'b', h: CAT_COLUMNS, s: 'store.size:desc' },
          },
          context,
        ),
    }),
    defineOperation({
      name: 'mapping',
      description: 'The fields of an index and their types.',
      parameters: z.strictObject({ index: indexName }),
      tool: true,
      run: ({ index }, context) => transport.ask({ method: 'GET', path: [index, '_mapping'] }, context),
    }),
    defineOperation({
      name: 'search',
      description:
        'Searches documents: query DSL, Lucene query string and a time range (unix seconds) together, with aggregations. Hits are counted up to 10,000. Look at the mapping first; aggregate rather than reading many hits.',
      parameters: searchParameters,
      tool: true,
      run: (search, context) =>
        transport.ask(
          {
            method: 'POST',
            path: [search.index, '_search'],
            body: searchBody(search, Math.min(timeoutMs, context.remainingMs ?? Infinity)),
          },
          context,
        ),
    }),
    defineOperation({
      name: 'count',
      description: 'The number of matching documents in an index.',
      parameters: countParameters,
      tool: true,
      run: (count, context) =>
        transport.ask({ method: 'POST', path: [count.index, '_count'], body: selected(count) }, context),
    }),
    defineOperation({
      name: 'cluster_health',
      description: 'Status (green, yellow, red), nodes, and shards that are unassigned, relocating or pending.',
      parameters: z.strictObject({}),
      tool: true,
      run: (_parameters, context) => transport.ask({ method: 'GET', path: ['_cluster', 'health'] }, context),
    }),
  ];
}
