import { z } from 'zod';
import { defineConnectorKind } from '../connector.ts';
import { searchConfig, searchConnector } from '../shared/search/connector.ts';
import { OpensearchTransport } from './transport.ts';

/** How a customer's OpenSearch is configured and created. */
export const opensearch = defineConnectorKind({
  kind: 'opensearch',
  config: z.strictObject(searchConfig),
  create: ({ url, username, password, ca_file: caFile, timeout_seconds }, options) => {
    const timeoutMs = timeout_seconds * 1000;
    const transport = new OpensearchTransport({ url, username, password, caFile, timeoutMs });
    return searchConnector('opensearch', transport, timeoutMs, options);
  },
});
