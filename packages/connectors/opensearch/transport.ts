import { readFile } from 'node:fs/promises';
import type { Client } from '@opensearch-project/opensearch';
import { QueryError, type OperationContext } from '../connector.ts';
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

const VENDOR = 'OpenSearch';

/** OpenSearch through the project's own client. */
export class OpensearchTransport implements SearchTransport {
  readonly #server: SearchServer;
  readonly #client = new Opened(() => this.#open());

  constructor(server: SearchServer) {
    this.#server = server;
  }

  async ask(request: SearchRequest, { signal, maxBytes }: OperationContext): Promise<unknown> {
    const client = await this.#client.get();
    if (signal.aborted) throw noAnswer(VENDOR, undefined, signal);
    // As a stream: the client itself would read an answer of any size.
    const asking = client.transport.request(
      { method: request.method, path: pathOf(request), querystring: request.query, body: request.body },
      { asStream: true, maxRetries: 0 },
    );
    // Despite its type, `abort` returns a promise; returned to the signal, it would be an unhandled rejection.
    const onAbort = (): void => {
      asking.abort();
    };
    signal.addEventListener('abort', onAbort, { once: true });
    try {
      const { statusCode, body } = await asking;
      const text = await textOf(body, maxBytes);
      if ((statusCode ?? 0) >= 400) throw refusal(VENDOR, statusCode ?? 0, parsed(text));
      const answer = parsed(text);
      if (typeof answer === 'string') throw new QueryError('failed', `${VENDOR}: not JSON: ${text.slice(0, 200)}`);
      return answer;
    } catch (error) {
      throw noAnswer(VENDOR, error, signal);
    } finally {
      signal.removeEventListener('abort', onAbort);
    }
  }

  async close(): Promise<void> {
    await this.#client.close((client) => client.close());
  }

  async #open(): Promise<Client> {
    const { url, username = '', password = '', caFile, timeoutMs } = this.#server;
    const [{ Client }, ca] = await Promise.all([
      import('@opensearch-project/opensearch'),
      caFile === undefined ? undefined : readFile(caFile),
    ]);
    return new Client({
      node: url,
      requestTimeout: timeoutMs,
      ...(username !== '' && { auth: { username, password } }),
      ...(ca && { ssl: { ca } }),
    });
  }
}

async function textOf(stream: AsyncIterable<Buffer>, maxBytes: number): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of stream) {
    bytes += chunk.length;
    if (bytes > maxBytes) throw tooLarge(maxBytes);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
