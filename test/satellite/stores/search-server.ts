/**
 * A server of the part of the REST protocol that Elasticsearch and OpenSearch share, over documents in memory: paths,
 * status codes, error bodies, authentication and the product's header are theirs; of the query DSL it knows `bool.filter`,
 * `term`, `range`, `match_all`, `query_string` of one word, and `terms` aggregations. Anything else is a 400, as there.
 */
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { addressOf } from '../../support/address.ts';

type Document = Record<string, unknown>;

export interface SearchServerRequest {
  method: string;
  path: string;
  query: Record<string, string>;
  headers: IncomingMessage['headers'];
  body: any; // oxlint-disable-line typescript/no-explicit-any -- JSON of the requests under test
}

export interface TestSearchServer {
  url: string;
  requests: SearchServerRequest[];
  /** Requests whose connection was closed before they were answered. */
  abandoned: () => number;
  stop(): Promise<void>;
}

class Refusal extends Error {
  readonly status: number;
  readonly type: string;
  constructor(status: number, type: string, reason: string) {
    super(reason);
    this.status = status;
    this.type = type;
  }
}

function matches(query: Document, document: Document): boolean {
  const [[kind, value] = ['', {}]] = Object.entries(query) as [string, Record<string, unknown>][];
  const [field = ''] = Object.keys(value);
  if (kind === 'match_all') return true;
  if (kind === 'bool') return (value['filter'] as Document[]).every((one) => matches(one, document));
  if (kind === 'term') return document[field] === value[field];
  if (kind === 'query_string') return JSON.stringify(document).includes(value['query'] as string);
  if (kind !== 'range') throw new Refusal(400, 'parsing_exception', `unknown query [${kind}]`);
  const { gte = -Infinity, lte = Infinity, format } = value[field] as Record<string, number>;
  if (String(format) !== 'epoch_millis') throw new Refusal(400, 'parsing_exception', 'failed to parse date field');
  const at = Date.parse(String(document[field]));
  return at >= gte && at <= lte;
}

function search(index: string, documents: Document[], body: SearchServerRequest['body']): unknown {
  const known = ['query', 'size', 'sort', 'aggregations', 'track_total_hits', 'timeout'];
  const unknown = Object.keys(body).find((key) => !known.includes(key));
  if (unknown) throw new Refusal(400, 'parsing_exception', `Unknown key for a VALUE_STRING in [${unknown}]`);
  const found = documents.filter((document) => matches(body.query, document));
  const newest = body.sort?.[0]?.['@timestamp']?.order === 'desc';
  const sorted = newest
    ? found.toSorted((a, b) => String(b['@timestamp']).localeCompare(String(a['@timestamp'])))
    : found;
  const aggregations = Object.entries<{ terms: { field: string } }>(body.aggregations ?? {}).map(
    ([name, { terms }]) => {
      const groups = Map.groupBy(found, (document) => document[terms.field]);
      return [name, { buckets: [...groups].map(([key, members]) => ({ key, doc_count: members.length })) }];
    },
  );
  return {
    took: 1,
    timed_out: false,
    _shards: { total: 1, successful: 1, skipped: 0, failed: 0 },
    hits: {
      total: {
        value: Math.min(found.length, body.track_total_hits),
        relation: found.length > body.track_total_hits ? 'gte' : 'eq',
      },
      hits: sorted.slice(0, body.size).map((document, n) => ({ _index: index, _id: String(n), _source: document })),
    },
    ...(body.aggregations && { aggregations: Object.fromEntries(aggregations) }),
  };
}

/** Starts one with an index `logs-shop` of these documents; who asks is `reader` with the password `secret`, or has the API key `key`. */
export async function startSearchServer(
  vendor: 'elasticsearch' | 'opensearch',
  documents: Document[],
): Promise<TestSearchServer> {
  const requests: SearchServerRequest[] = [];
  let abandoned = 0;
  const allowed = [`Basic ${btoa('reader:secret')}`, 'ApiKey key'];

  const answer = ({ method, path, query, headers, body }: SearchServerRequest): unknown => {
    if (!allowed.includes(headers.authorization ?? ''))
      throw new Refusal(401, 'security_exception', 'unable to authenticate user for REST request');
    const media = headers.accept ?? '';
    if (vendor === 'elasticsearch' && media.includes('compatible-with=9'))
      throw new Refusal(400, 'media_type_header_exception', 'Invalid media-type value on headers [Accept]');
    const [first = '', second = ''] = path.split('/').slice(1);
    const named = first === 'logs-shop' || first === 'logs-*';
    if (method === 'GET' && path === '/')
      return { name: 'node', version: { number: vendor === 'opensearch' ? '3.2.0' : '8.19.2' } };
    if (method === 'GET' && path === '/_cluster/health') return { status: 'yellow', unassigned_shards: 1 };
    if (method === 'GET' && first === '_cat' && second === 'indices')
      return query['format'] === 'json' && query['bytes'] === 'b'
        ? [{ index: 'logs-shop', 'docs.count': String(documents.length) }]
        : 'yellow open logs-shop';
    if (!named) throw new Refusal(404, 'index_not_found_exception', `no such index [${first}]`);
    if (method === 'GET' && second === '_mapping')
      return { 'logs-shop': { mappings: { properties: { level: { type: 'keyword' } } } } };
    if (method === 'POST' && second === '_search') return search('logs-shop', documents, body);
    if (method === 'POST' && second === '_count')
      return { count: documents.filter((one) => matches(body.query, one)).length };
    throw new Refusal(405, 'method_not_allowed', `Incorrect HTTP method for uri [${path}] and method [${method}]`);
  };

  const handle = async (incoming: IncomingMessage, response: ServerResponse): Promise<void> => {
    const url = new URL(incoming.url!, 'http://x');
    const body = await text(incoming);
    const request = {
      method: incoming.method!,
      path: decodeURIComponent(url.pathname),
      query: Object.fromEntries(url.searchParams),
      headers: incoming.headers,
      body: body === '' ? undefined : JSON.parse(body),
    };
    requests.push(request);
    if (vendor === 'elasticsearch') response.setHeader('x-elastic-product', 'Elasticsearch');
    response.setHeader('content-type', 'application/json');
    if (body.includes('"hang"')) return void response.on('close', () => (abandoned += 1));
    try {
      response.end(JSON.stringify(answer(request)));
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      const cause = { type: error.type, reason: error.message };
      response.statusCode = error.status;
      response.end(JSON.stringify({ error: { root_cause: [cause], ...cause }, status: error.status }));
    }
  };
  const server = createServer((incoming, response) => void handle(incoming, response)).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${addressOf(server).port}`,
    requests,
    abandoned: () => abandoned,
    async stop() {
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
}
