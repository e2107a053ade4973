import { fetch, type Agent, type Response } from 'undici';
import { QueryError, type Network, type OperationContext } from '../../connector.ts';
import { networkReason } from '../network-reason.ts';
import { makeAgent } from './agent.ts';
import { requestHeaders, type HttpApiConfig } from './config.ts';

/** Longer queries are posted as a form: servers and proxies refuse URLs of more than some 8 kB. */
const MAX_ADDRESS_CHARACTERS = 4_000;
const MAX_ERROR_CHARACTERS = 1_500;
/** Maximum size of an error response that is read. */
const MAX_ERROR_BYTES = 64 * 1024;

/** Query parameters; undefined ones are omitted, lists are repeated. */
export type Query = Record<string, string | number | boolean | readonly string[] | undefined>;

interface Request {
  /** Path segments below the base URL; each is escaped into a single segment. */
  path: readonly string[];
  query?: Query;
  /**
   * Whether the system also accepts the query as a form, which is how a long one is sent; `always` if it accepts nothing
   * else, or if the query is secret.
   */
  form?: boolean | 'always';
  /** Posted as JSON: a question that the system takes as a body, such as GraphQL. It must not change anything. */
  body?: unknown;
}

export interface HttpApi {
  /** The system, for people: its name and host. */
  readonly place: string;
  /** @throws {QueryError} when the answer is not JSON, and whenever `text` does */
  json(request: Request, context: OperationContext): Promise<unknown>;
  /**
   * @returns the body of a 2xx response
   * @throws {QueryError} with the system's own message when it refuses, does not answer, or answers too much
   * @throws the signal's reason when the caller gives up
   */
  text(request: Request, context: OperationContext): Promise<string>;
  /** A message of the system from a 2xx response, without the credentials of its configuration. */
  withoutSecrets(message: string): string;
  close(): Promise<void>;
}

/**
 * A client that only reads from one system. The configuration alone decides where requests go: queries become path
 * segments and parameters, and redirects are not followed.
 * @param options.name the system's name in messages
 * @param options.errorMessage extracts the message from an error response with a format of its own
 * @param options.network restrains where it connects to
 * @param options.authorize headers of each request that are not known beforehand, such as a token that expires
 */
export function createHttpApi(
  config: HttpApiConfig,
  options: {
    name: string;
    errorMessage?: (body: string) => string | undefined;
    network?: Network;
    authorize?: (signal: AbortSignal) => Promise<Record<string, string>>;
  },
): HttpApi {
  const base = new URL(config.url);
  const prefix = base.pathname.replace(/\/+$/u, '');
  const place = `${options.name} at ${base.host}`;
  const headers = requestHeaders(config);
  let agent: Promise<Agent> | undefined;

  /** Created with the first request, and again after a failure: a missing file may appear. */
  const dispatcher = async (): Promise<Agent> => {
    agent ??= makeAgent(config.tls, options.network);
    try {
      return await agent;
    } catch (error) {
      agent = undefined;
      const reason = error instanceof Error ? error.message : String(error);
      throw new QueryError('failed', `the certificates for ${place} cannot be read: ${reason}`, { cause: error });
    }
  };

  const send = async (
    { path, query = {}, form, body }: Request,
    { signal }: OperationContext,
    sent: Record<string, string>,
  ): Promise<Response> => {
    const problem = options.network?.urlProblem(config.url);
    if (problem !== undefined) throw new QueryError('failed', `${place}: ${problem}`);
    const url = new URL(base);
    url.pathname = `${prefix}/${path.map(segment).join('/')}`;
    const parameters = toSearch(query);
    const long = parameters.size > 0 && parameters.toString().length > MAX_ADDRESS_CHARACTERS;
    const posted = form === 'always' || (form === true && long);
    if (!posted) url.search = parameters.toString();
    Object.assign(sent, await options.authorize?.(signal));
    return fetch(url, {
      dispatcher: await dispatcher(),
      headers: { ...sent, ...(body !== undefined && JSON_BODY) },
      ...(posted && { method: 'POST', body: parameters }),
      ...(body !== undefined && { method: 'POST', body: JSON.stringify(body) }),
      redirect: 'manual',
      signal,
    });
  };

  const text = async (request: Request, context: OperationContext): Promise<string> => {
    const sent = { ...headers };
    try {
      context.signal.throwIfAborted();
      const response = await send(request, context, sent);
      if (response.ok) {
        const body = await readBody(response, context.maxBytes);
        if (body.whole) return body.text;
        throw new QueryError('too_large', tooLarge(place, context.maxBytes));
      }
      if (response.status >= 300 && response.status < 400) {
        await response.body?.cancel();
        throw new QueryError('failed', `${place} redirects to another URL; its url must be the final one`);
      }
      const body = withoutSecrets((await readBody(response, MAX_ERROR_BYTES)).text, sent);
      const words = (options.errorMessage?.(body) ?? body.trim()).slice(0, MAX_ERROR_CHARACTERS);
      const message = `${place} answered ${response.status}${words && `: ${words}`}${wait(response)}`;
      throw new RefusedRequest(response.status, message, body);
    } catch (error) {
      throw failureOf(error, place, context.signal);
    }
  };

  return {
    place,
    text,
    withoutSecrets: (message) => withoutSecrets(message, headers),
    async json(request, context) {
      const body = await text(request, context);
      try {
        return JSON.parse(body);
      } catch (error) {
        throw new QueryError('failed', `${place} answered with something that is not JSON; is its url right?`, {
          cause: error,
        });
      }
    },
    async close() {
      const made = await agent?.catch(() => undefined);
      agent = undefined;
      await made?.destroy();
    },
  };
}

const JSON_BODY = { 'content-type': 'application/json' };

/** Shorter header values are not secret, and may be part of any word. */
const MIN_SECRET_CHARACTERS = 8;

/** Some systems, and proxies before them, repeat the request in an error. */
function withoutSecrets(text: string, headers: Record<string, string>): string {
  const secrets = Object.entries(headers)
    .filter(([name]) => name !== 'accept')
    .map(([, value]) => value.replace(/^(?:Bearer|Basic) /u, ''))
    .filter(({ length }) => length >= MIN_SECRET_CHARACTERS);
  return secrets.reduce((hidden, secret) => hidden.replaceAll(secret, '[hidden]'), text);
}

/** How long the system asks to be left alone, in words. */
function wait(response: Response): string {
  const seconds = response.headers.get('retry-after');
  return seconds !== null && /^\d{1,6}$/u.test(seconds) ? `; it asks to wait ${seconds} s` : '';
}

/** Escapes text as one path segment. URLs have no escape for `.` and `..`; a colon needs none, and Google requires it. */
function segment(text: string): string {
  if (text === '.' || text === '..' || text === '') throw new QueryError('bad_request', `"${text}" is not a name`);
  return encodeURIComponent(text.toWellFormed()).replaceAll('%3A', ':');
}

function toSearch(query: Query): URLSearchParams {
  const search = new URLSearchParams();
  for (const [key, value] of Object.entries(query)) {
    for (const item of [value].flat()) if (item !== undefined) search.append(key, String(item));
  }
  return search;
}

/** Reads up to `maxBytes` bytes; anything beyond them is never received. */
async function readBody(response: Response, maxBytes: number): Promise<{ text: string; whole: boolean }> {
  const chunks: Uint8Array[] = [];
  let room = maxBytes;
  let whole = true;
  for await (const chunk of response.body ?? []) {
    chunks.push(chunk.subarray(0, room));
    whole = chunk.byteLength <= room;
    room -= chunk.byteLength;
    // Leaving the loop cancels the stream, and with it the transfer.
    if (!whole) break;
  }
  return { text: Buffer.concat(chunks).toString('utf8'), whole };
}

function tooLarge(place: string, maxBytes: number): string {
  return `the answer from ${place} is larger than the ${maxBytes} bytes allowed: ask for a shorter time range, fewer series, or a lower limit`;
}

/** The system answered with an error status. */
export class RefusedRequest extends QueryError {
  readonly status: number;
  /** Private, so that nothing logs it along with the error. */
  readonly #body: string;
  constructor(status: number, message: string, body: string) {
    super(codeOf(status), message);
    this.status = status;
    this.#body = body;
  }

  /** The error response, up to 64 kB. */
  get body(): string {
    return this.#body;
  }
}

/** What the status of an error response says about the query. Gateways send 502 and 503 for a system that is down. */
function codeOf(status: number): QueryError['code'] {
  if (status === 400 || status === 422) return 'bad_request';
  if (status === 404) return 'not_found';
  if (status === 408 || status === 504) return 'timeout';
  if (status === 413) return 'too_large';
  if (status === 429) return 'busy';
  return 'failed';
}

/**
 * The error to throw for a failed request: the signal's reason when the caller gave up, a {@link QueryError} with
 * advice when it timed out, and otherwise one with the network's error.
 * @param place the system, for people: its name and host
 */
function failureOf(error: unknown, place: string, signal: AbortSignal): unknown {
  if (signal.aborted) return isTimeout(signal.reason) ? outOfTime(place, signal.reason) : signal.reason;
  if (error instanceof QueryError) return error;
  const reason = networkReason(error);
  if (/TIMEOUT|ETIMEDOUT/u.test(reason)) return outOfTime(place, error);
  return new QueryError('failed', `${place} did not answer: ${reason}`, { cause: error });
}

function outOfTime(place: string, cause: unknown): QueryError {
  return new QueryError(
    'timeout',
    `${place} did not answer in time: ask for a shorter time range, or for fewer series`,
    {
      cause,
    },
  );
}

function isTimeout(reason: unknown): boolean {
  return reason instanceof Error && reason.name === 'TimeoutError';
}
