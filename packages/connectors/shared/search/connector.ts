/**
 * Elasticsearch (7.14 and later) and OpenSearch. Only searches, counts, mappings and health are ever requested; nothing
 * else can be reached. The user's role decides which indices are readable: `read` and `view_index_metadata` on the
 * indices, `monitor` on the cluster.
 */
import { z } from 'zod';
import type { Connector, ConnectorOptions } from '../../connector.ts';
import { searchOperations } from './operations.ts';
import type { SearchTransport } from './transport.ts';

const CHECK_BYTES = 100_000;

/** Configuration common to both. */
export const searchConfig = {
  url: z.url({ protocol: /^https?$/u }),
  username: z.string().optional(),
  password: z.string().optional(),
  ca_file: z.string().optional(),
  /** Timeout of one request. */
  timeout_seconds: z.number().positive().max(600).default(60),
};

/** A connector over a vendor's own client. */
export function searchConnector(
  kind: 'elasticsearch' | 'opensearch',
  transport: SearchTransport,
  timeoutMs: number,
  { id, title }: ConnectorOptions,
): Connector {
  return {
    id,
    kind,
    title,
    operations: searchOperations(transport, timeoutMs),
    async check(signal) {
      await transport.ask({ method: 'GET', path: [''] }, { signal, maxBytes: CHECK_BYTES });
    },
    close: () => transport.close(),
  };
}
