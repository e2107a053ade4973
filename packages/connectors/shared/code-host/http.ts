/**
 * HTTP to a code host, given to the vendors' own clients in place of `fetch`. It connects where the network allows, to
 * the configured host only; asks again with ETags; bounds what it reads; and throws a {@link CodeHostError} for every
 * answer but success, so that no client waits, retries or logs a credential.
 */
import { createHash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { fetch, type Agent, type Response as Answer } from 'undici';
import type { Network } from '../../connector.ts';
import { makeAgent } from '../http-api/agent.ts';
import type { HttpApiConfig } from '../http-api/config.ts';
import { CodeHostError, type HostCall } from './port.ts';
import { failureOf, refusalOf, secretsIn } from './refusals.ts';

const MAX_ANSWER_BYTES = 16 * 1_048_576;
const MAX_CACHED_BYTES = 16 * 1_048_576;
/** The host names any number of redirects; GitHub's for a renamed repository is one. */
const MAX_REDIRECTS = 3;
/** A log is read from its start to keep its end. */
const MAX_LOG_BYTES = 512 * 1_048_576;
/** What a host suggests may be hours, for connections that nobody closes. */
const IDLE_MS = 10_000;

export interface HostHttp {
  /** The host, for people: its name and address. */
  readonly place: string;
  /**
   * As the global `fetch`: to the configured host only, and only for JSON and short texts.
   * @returns an answer of 2xx, or of 3xx if `redirect` is `manual`
   * @throws {CodeHostError}, or the signal's reason
   */
  readonly fetch: typeof globalThis.fetch;
  /**
   * The end of a text of any length, such as a log. Redirects to storage elsewhere are followed without credentials.
   * @throws {CodeHostError}, or the signal's reason
   */
  tail(
    url: string,
    options: { headers: Record<string, string>; maxBytes: number; signal: AbortSignal },
  ): Promise<{ text: string; truncated: boolean }>;
}

/** @param options.url the host's; requests to any other host are refused */
export function createHostHttp(options: {
  name: string;
  url: string;
  network?: Network | undefined;
  tls?: HttpApiConfig['tls'];
  /** Unix ms. */
  now?: () => number;
}): HostHttp {
  const { network, tls, now = Date.now } = options;
  const home = new URL(options.url);
  const place = `${options.name} at ${home.host}`;
  const cache = new LRUCache<string, { etag: string; body: Buffer; headers: [string, string][] }>({
    maxSize: MAX_CACHED_BYTES,
    sizeCalculation: ({ body }, key) => body.byteLength + key.length + 512,
  });
  let agent: Promise<Agent> | undefined;

  const dispatcher = async (): Promise<Agent> => {
    agent ??= makeAgent(tls, network, { keepAliveTimeout: IDLE_MS, keepAliveMaxTimeout: IDLE_MS });
    try {
      return await agent;
    } catch (error) {
      agent = undefined;
      throw new CodeHostError('unavailable', `the certificates for ${place} cannot be read`, { cause: error });
    }
  };

  /** Sends a request, and follows redirects: with its credentials only within the host. */
  const send = async (request: Sent, follow: 'host' | 'anywhere' | 'no'): Promise<Answer> => {
    let { url, headers } = request;
    for (let redirects = 0; ; redirects++) {
      const problem = network?.urlProblem(url.href);
      if (problem !== undefined) throw new CodeHostError('unavailable', `${place}: ${problem}`);
      const { method, body, signal } = request;
      const sent = { method, headers, body: body ?? null, redirect: 'manual' as const, signal };
      const answer = await fetch(url.href, { ...sent, dispatcher: await dispatcher() });
      const location = answer.headers.get('location');
      if (answer.status < 300 || answer.status >= 400 || location === null || follow === 'no') return answer;
      await answer.body?.cancel();
      const next = URL.parse(location, url.href);
      const isHost = next?.origin === home.origin;
      // A change that is repeated as a reading request would seem to have succeeded.
      const isSame = method === 'GET' || answer.status >= 307;
      if (!next || !isSame || redirects >= MAX_REDIRECTS || (!isHost && follow === 'host'))
        throw new CodeHostError('unavailable', `${place} redirects to another URL; its url must be the final one`);
      if (!isHost && !/^https?:$/u.test(next.protocol))
        throw new CodeHostError('unavailable', `${place} redirects to something other than a web address`);
      url = next;
      if (!isHost) headers = {};
    }
  };

  const refusal = async (answer: Answer, secrets: readonly string[]): Promise<CodeHostError> => {
    const { bytes } = await readStart(answer, 64 * 1024);
    return refusalOf({ place, status: answer.status, headers: answer.headers, body: bytes.toString(), secrets, now });
  };

  return {
    place,
    async fetch(input, init) {
      const request = new Request(input, init);
      const url = new URL(request.url);
      if (url.origin !== home.origin)
        throw new CodeHostError('unavailable', `${place} refers to ${url.host}, which is not its url`);
      const headers = Object.fromEntries(request.headers);
      const { method, signal } = request;
      const body = request.body ? Buffer.from(await request.arrayBuffer()) : undefined;
      const secrets = secretsIn(headers, body?.toString());
      const key = method === 'GET' ? keyOf(url, headers) : undefined;
      const known = key === undefined ? undefined : cache.get(key);
      if (known) headers['if-none-match'] = known.etag;
      try {
        const answer = await send(
          { url, method, headers, body, signal },
          request.redirect === 'manual' ? 'no' : 'host',
        );
        if (answer.status === 304 && known) {
          await answer.body?.cancel();
          return answerOf(200, known.headers, known.body);
        }
        if (answer.status >= 400 || answer.status === 304) throw await refusal(answer, secrets);
        const { bytes, whole } = await readStart(answer, MAX_ANSWER_BYTES);
        if (!whole)
          throw new CodeHostError('unavailable', `${place} answered with more than ${MAX_ANSWER_BYTES} bytes`);
        const kept = [...answer.headers].filter(([name]) => !/^content-(?:encoding|length)$/u.test(name));
        const etag = answer.headers.get('etag');
        if (key !== undefined && etag !== null && answer.status === 200)
          cache.set(key, { etag, body: bytes, headers: kept });
        return answerOf(answer.status, kept, bytes);
      } catch (error) {
        throw failureOf(error, place, signal);
      }
    },

    async tail(text, { headers, maxBytes, signal }) {
      const url = new URL(text);
      if (url.origin !== home.origin)
        throw new CodeHostError('unavailable', `${place} refers to ${url.host}, which is not its url`);
      try {
        const answer = await send({ url, method: 'GET', headers, body: undefined, signal }, 'anywhere');
        if (!answer.ok) throw await refusal(answer, secretsIn(headers));
        return await readEnd(answer, maxBytes);
      } catch (error) {
        throw failureOf(error, place, signal);
      }
    },
  };
}

interface Sent {
  url: URL;
  method: string;
  headers: Record<string, string>;
  body: Buffer | undefined;
  signal: AbortSignal;
}

/** Answers differ by who asks, and in which form. */
function keyOf(url: URL, { accept, authorization, 'private-token': token }: Record<string, string>): string {
  const asker = createHash('sha256').update(JSON.stringify([accept, authorization, token]));
  return `${asker.digest('base64')} ${url.href}`;
}

function answerOf(status: number, headers: [string, string][], body: Buffer): Response {
  const empty = status === 204 || status === 205;
  return new Response(empty ? null : new Uint8Array(body), { status, headers });
}

/** Up to `maxBytes` bytes; anything beyond them is never received. */
async function readStart(answer: Answer, maxBytes: number): Promise<{ bytes: Buffer; whole: boolean }> {
  const chunks: Uint8Array[] = [];
  let room = maxBytes;
  for await (const chunk of answer.body ?? []) {
    chunks.push(chunk.subarray(0, room));
    room -= chunk.byteLength;
    // Leaving the loop cancels the stream, and with it the transfer.
    if (room < 0) break;
  }
  return { bytes: Buffer.concat(chunks), whole: room >= 0 };
}

/** The last `maxBytes` bytes, from the start of a line, as far as it is read at all. */
async function readEnd(answer: Answer, maxBytes: number): Promise<{ text: string; truncated: boolean }> {
  const chunks: Uint8Array[] = [];
  let kept = 0;
  let read = 0;
  for await (const chunk of answer.body ?? []) {
    chunks.push(chunk);
    kept += chunk.byteLength;
    read += chunk.byteLength;
    while (kept - chunks[0]!.byteLength >= maxBytes) kept -= chunks.shift()!.byteLength;
    if (read > MAX_LOG_BYTES) break;
  }
  const bytes = Buffer.concat(chunks);
  if (read <= maxBytes) return { text: bytes.toString(), truncated: false };
  const end = bytes.subarray(-maxBytes);
  return { text: end.subarray(end.indexOf('\n') + 1).toString(), truncated: true };
}

/**
 * Calls a vendor's client, and takes what {@link HostHttp} threw out of the client's own errors, which may have the
 * request with them.
 * @throws {CodeHostError}, or the signal's reason
 */
export async function throughClient<T>(work: () => Promise<T>, { signal }: HostCall): Promise<T> {
  try {
    return await work();
  } catch (error) {
    signal.throwIfAborted();
    for (let cause: unknown = error; cause instanceof Error; cause = cause.cause) {
      if (cause instanceof CodeHostError) throw cause;
    }
    throw error;
  }
}
