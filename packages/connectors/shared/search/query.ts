/** Searches in the query DSL of Elasticsearch and OpenSearch. Pure. */
import { z } from 'zod';
import { QueryError } from '../../connector.ts';

const MAX_HITS = 500;
const DEFAULT_HITS = 50;
/** Hits are counted exactly up to this number. */
const MAX_COUNTED = 10_000;

const dsl = z.record(z.string(), z.unknown());

/** `a,b-*,-c`; not a path, not even one of dots, and not one of the server's own endpoints. */
export const indexName = z
  .string()
  .min(1)
  .max(500)
  .regex(
    /^(?!\.{1,2}$)(?:_all|[^_/\\?#\s"<>|][^/\\?#\s"<>|]*)$/u,
    'must be comma-separated names or patterns of indices',
  );

const selection = {
  query: dsl.optional().describe('Query DSL, for example {"term": {"service.name": "cart"}}. Scripts are refused.'),
  query_string: z.string().max(10_000).optional().describe('Lucene syntax, for example level:error AND cart'),
};

export const countParameters = z.strictObject({ index: indexName, ...selection });

export const searchParameters = z.strictObject({
  index: indexName,
  ...selection,
  from_time: z.number().optional().describe('Unix seconds'),
  to_time: z.number().optional().describe('Unix seconds'),
  time_field: z.string().min(1).max(300).optional().describe('default @timestamp'),
  size: z.number().int().min(0).max(MAX_HITS).optional().describe(`default ${DEFAULT_HITS}; 0 for aggregations only`),
  sort: z
    .array(z.union([z.string().min(1), dsl]))
    .max(10)
    .optional()
    .describe('`field:asc`, `field:desc`, or sort DSL; newest first when a time is given'),
  aggregations: dsl.optional(),
});

type Search = z.output<typeof searchParameters>;

/** Keys whose value runs as code, and `wrapper`, whose value is an opaque query. */
const CODE = /(?:^|_)script(?:s|ed)?(?:_|$)|^wrapper$|^runtime_mappings$/u;

/** @throws {QueryError} `bad_request` when the query contains a script */
function withoutScripts(value: unknown): void {
  if (typeof value !== 'object' || value === null) return;
  for (const [key, inner] of Object.entries(value)) {
    if (!Array.isArray(value) && CODE.test(key))
      throw new QueryError(
        'bad_request',
        `Scripts are not allowed: ${key}. Use queries and aggregations without them.`,
      );
    withoutScripts(inner);
  }
}

/** @param timeoutMs after which the server returns what it has found so far and sets `timed_out` */
export function searchBody(search: Search, timeoutMs: number): Record<string, unknown> {
  const { size = DEFAULT_HITS, sort, aggregations, time_field = '@timestamp' } = search;
  const timed = search.from_time !== undefined || search.to_time !== undefined;
  const newestFirst = [{ [time_field]: { order: 'desc', unmapped_type: 'date' } }];
  withoutScripts([sort, aggregations]);
  return {
    ...selected(search),
    size,
    ...(sort ? { sort: sort.map(sortOf) } : timed && size > 0 && { sort: newestFirst }),
    ...(aggregations && { aggregations }),
    track_total_hits: MAX_COUNTED,
    timeout: `${Math.max(1, Math.ceil(timeoutMs))}ms`,
  };
}

/** @returns the `query` member of a search or a count; matches everything by default */
export function selected(
  search: Pick<Search, 'query' | 'query_string' | 'from_time' | 'to_time' | 'time_field'>,
): Record<string, unknown> {
  const { query, query_string, from_time, to_time, time_field = '@timestamp' } = search;
  withoutScripts(query);
  const filter: unknown[] = [];
  if (query) filter.push(query);
  if (query_string !== undefined) filter.push({ query_string: { query: query_string } });
  if (from_time !== undefined || to_time !== undefined) {
    const range = {
      ...(from_time !== undefined && { gte: Math.floor(from_time * 1000) }),
      ...(to_time !== undefined && { lte: Math.ceil(to_time * 1000) }),
    };
    filter.push({ range: { [time_field]: { ...range, format: 'epoch_millis' } } });
  }
  return { query: filter.length > 0 ? { bool: { filter } } : { match_all: {} } };
}

function sortOf(sort: string | Record<string, unknown>): Record<string, unknown> | string {
  if (typeof sort !== 'string') return sort;
  const [, field, order] = /^(.+):(asc|desc)$/u.exec(sort) ?? [];
  const name = field ?? sort;
  withoutScripts({ [name]: order });
  return field === undefined ? name : { [field]: { order } };
}
