import { z } from 'zod';
import { defineConnectorKind } from '../connector.ts';
import { headerSecret } from '../shared/header-values.ts';
import { searchConfig, searchConnector } from '../shared/search/connector.ts';
import { ElasticsearchTransport } from './transport.ts';

/** How a customer's Elasticsearch is configured and created. */
export const elasticsearch = defineConnectorKind({
  kind: 'elasticsearch',
  config: z.strictObject({ ...searchConfig, api_key: headerSecret.optional() }),
  create: ({ url, username, password, api_key: apiKey, ca_file: caFile, timeout_seconds }, options) => {
    const timeoutMs = timeout_seconds * 1000;
    const transport = new ElasticsearchTransport({ url, username, password, apiKey, caFile, timeoutMs });
    return searchConnector('elasticsearch', transport, timeoutMs, options);
  },
});
