import { SourceError } from './port.ts';

const DEFAULT_MAX_RESPONSE_BYTES = 32 * 1024 * 1024;

export interface HttpClientOptions {
  /** Name of the other side in messages. */
  name: string;
  /** Base URL from the operator's configuration; may have a path and credentials. */
  url: string;
  maxResponseBytes?: number;
  /** The message in an error answer's body. */
  errorMessage: (body: string) => string | undefined;
}

export interface HttpClient {
  /** Sends parameters as a query string (GET) or form (POST) and parses the JSON answer. */
  request(method: 'GET' | 'POST', path: string, parameters: URLSearchParams, signal: AbortSignal): Promise<unknown>;
}

/**
 * A client of a telemetry server. The address comes from configuration only and redirects are not followed, so that
 * neither a model nor an answer can direct a request elsewhere. Everything that goes wrong is a {@link SourceError}
 * with the server's own words, except a fired signal, whose reason is thrown as it is.
 */
export function createHttpClient(options: HttpClientOptions): HttpClient {
  const { name, maxResponseBytes = DEFAULT_MAX_RESPONSE_BYTES } = options;
  const base = new URL(options.url);
  const headers: Record<string, string> = { accept: 'application/json' };
  if (base.username || base.password) {
    const credentials = `${decodeURIComponent(base.username)}:${decodeURIComponent(base.password)}`;
    headers['authorization'] = `Basic ${Buffer.from(credentials).toString('base64')}`;
    base.username = '';
    base.password = '';
  }
  const prefix = base.pathname.replace(/\/+$/, '');

  return {
    async request(method, path, parameters, signal) {
      signal.throwIfAborted();
      const url = new URL(prefix + path, base);
      if (method === 'GET') url.search = parameters.toString();
      let status: number;
      let body: string;
      try {
        const response = await fetch(url, {
          headers,
          ...(method === 'POST' ? { method, body: parameters } : { method }),
          redirect: 'error',
          signal,
        });
        status = response.status;
        body = await readBody(response, maxResponseBytes, name);
      } catch (error) {
        signal.throwIfAborted();
        if (error instanceof SourceError) throw error;
        throw new SourceError(`${name} at ${base.host} did not answer: ${reasonOf(error)}`, { cause: error });
      }
      if (status < 200 || status > 299) {
        const message = options.errorMessage(body) ?? body.trim().slice(0, 500);
        throw new SourceError(`${name} answered ${status}${message ? `: ${message}` : ''}`);
      }
      try {
        return JSON.parse(body);
      } catch (error) {
        throw new SourceError(`${name} at ${base.host} answered something that is not JSON; is the address right?`, {
          cause: error,
        });
      }
    },
  };
}

async function readBody(response: Response, limit: number, name: string): Promise<string> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  // Leaving the loop cancels the stream, and with it the transfer.
  for await (const chunk of response.body ?? []) {
    size += chunk.byteLength;
    if (size > limit) {
      throw new SourceError(`the answer of ${name} is larger than ${limit} bytes: ask for less time or fewer series`);
    }
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

/** fetch hides what went wrong in the cause of its error. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { cause } = error;
  if (!(cause instanceof Error)) return error.message;
  return 'code' in cause && typeof cause.code === 'string' ? cause.code : cause.message;
}
