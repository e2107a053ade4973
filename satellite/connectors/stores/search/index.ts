/**
 * Elasticsearch (7.14 and later) and OpenSearch. Only searches, counts, mappings and health are ever asked for; what is
 * not in those requests cannot be reached. Which indices may be read is a matter of the user's role: `read` and
 * `view_index_metadata` on the indices, `monitor` on the cluster.
 */
import { z } from 'zod';
import { headerSecret } from '../../../header-values.ts';
import { defineConnectorKind, type Connector, type ConnectorOptions } from '../../connector.ts';
import { ElasticsearchTransport } from './elasticsearch.ts';
import { searchOperations } from './operations.ts';
import { OpensearchTransport } from './opensearch.ts';
import type { SearchTransport } from './transport.ts';

const CHECK_BYTES = 100_000;

const common = {
  url: z.url({ protocol: /^https?$/u }),
  username: z.string().optional(),
  password: z.string().optional(),
  ca_file: z.string().optional(),
  /** Longest that one request may take. */
  timeout_seconds: z.number().positive().max(600).default(60),
};

/** How a customer's Elasticsearch is configured and made. */
export const elasticsearch = defineConnectorKind({
  kind: 'elasticsearch',
  config: z.strictObject({ ...common, api_key: headerSecret.optional() }),
  create: ({ url, username, password, api_key: apiKey, ca_file: caFile, timeout_seconds }, options) => {
    const timeoutMs = timeout_seconds * 1000;
    const transport = new ElasticsearchTransport({ url, username, password, apiKey, caFile, timeoutMs });
    return searchConnector('elasticsearch', transport, timeoutMs, options);
  },
});

/** How a customer's OpenSearch is configured and made. */
export const opensearch = defineConnectorKind({
  kind: 'opensearch',
  config: z.strictObject(common),
  create: ({ url, username, password, ca_file: caFile, timeout_seconds }, options) => {
    const timeoutMs = timeout_seconds * 1000;
    const transport = new OpensearchTransport({ url, username, password, caFile, timeoutMs });
    return searchConnector('opensearch', transport, timeoutMs, options);
  },
});

function searchConnector(
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
