import { readFile } from 'node:fs/promises';
import type { Client } from '@elastic/elasticsearch';
import type { OperationContext } from '../connector.ts';
import { Opened } from '../shared/opened.ts';
import {
  noAnswer,
  refusal,
  tooLarge,
  pathOf,
  type SearchRequest,
  type SearchServer,
  type SearchTransport,
} from '../shared/search/transport.ts';

const VENDOR = 'Elasticsearch';

/** Plain JSON instead of a versioned media type: servers before 9 do not know `compatible-with=9`. */
const JSON_ONLY = { accept: 'application/json', 'content-type': 'application/json' };

/** Elasticsearch through Elastic's own client, which refuses servers that are not Elasticsearch. */
export class ElasticsearchTransport implements SearchTransport {
  readonly #server: SearchServer;
  readonly #client = new Opened(() => this.#open());

  constructor(server: SearchServer) {
    this.#server = server;
  }

  async ask(request: SearchRequest, { signal, maxBytes }: OperationContext): Promise<unknown> {
    const client = await this.#client.get();
    try {
      return await client.transport.request(
        { method: request.method, path: pathOf(request), querystring: request.query, body: request.body },
        { signal, maxResponseSize: maxBytes, maxRetries: 0, headers: JSON_ONLY },
      );
    } catch (error) {
      const { errors } = await import('@elastic/elasticsearch');
      if (error instanceof errors.ResponseError) throw refusal(VENDOR, error.statusCode ?? 0, error.body);
      if (error instanceof errors.RequestAbortedError && !signal.aborted) throw tooLarge(maxBytes);
      throw noAnswer(VENDOR, error, signal);
    }
  }

  async close(): Promise<void> {
    await this.#client.close((client) => client.close());
  }

  async #open(): Promise<Client> {
    const { url, username = '', password = '', apiKey, caFile, timeoutMs } = this.#server;
    const [{ Client }, ca] = await Promise.all([
      import('@elastic/elasticsearch'),
      caFile === undefined ? undefined : readFile(caFile),
    ]);
    return new Client({
      node: url,
      requestTimeout: timeoutMs,
      ...(apiKey !== undefined ? { auth: { apiKey } } : username !== '' && { auth: { username, password } }),
      ...(ca && { tls: { ca } }),
    });
  }
}
