/** OAuth access tokens for a connector's own credential: minted at their first use, shared, and renewed in time. */
import { z } from 'zod';
import { QueryError, type Network } from '../connector.ts';
import { headerSecret } from './header-values.ts';
import { createHttpApi, RefusedRequest } from './http-api/index.ts';

/** A token is renewed this long before it expires, or after half of a shorter life. */
const MARGIN_MS = 60_000;
const MAX_ANSWER_BYTES = 64 * 1024;
/** For one request, however many callers wait for it, and however briefly. */
const TIMEOUT_MS = 30_000;

const minted = z.object({ access_token: headerSecret, expires_in: z.number().positive() });
const refusal = z.object({
  error: z.string(),
  error_description: z.string().default(''),
  /** Microsoft's. */
  error_codes: z.array(z.number()).default([]),
});

/** The token server did not accept the credential. */
export class TokenRefused extends QueryError {
  /** OAuth's, such as `invalid_grant`. */
  readonly error: string;
  /** The vendor's numbers, if it has any. */
  readonly numbers: readonly number[];
  constructor(message: string, { error, numbers }: { error: string; numbers: readonly number[] }) {
    super('failed', message);
    this.error = error;
    this.numbers = numbers;
  }
}

export interface AccessTokens {
  /**
   * A token that will last for a while; callers that wait at the same time get the same one.
   * @throws {TokenRefused} when the credential is not accepted
   * @throws {QueryError} when the token server does not answer as one
   * @throws the signal's reason when the caller gives up, which does not disturb the others
   */
  get(signal: AbortSignal): Promise<string>;
  /** A new token, although the last one may still be good: whether the credential is accepted now. */
  renew(signal: AbortSignal): Promise<string>;
  close(): Promise<void>;
}

/**
 * @param options.name the token server's name in messages
 * @param options.url where tokens are minted
 * @param options.form the fields of a request, made anew for each
 * @param options.secrets those fields of the form that no message may contain
 * @param options.now unix ms
 */
export function createAccessTokens(options: {
  name: string;
  url: string;
  form: () => Record<string, string>;
  secrets: readonly string[];
  network?: Network;
  now: () => number;
}): AccessTokens {
  const { path, base } = splitUrl(options.url);
  const http = createHttpApi({ url: base }, { name: options.name, errorMessage: () => '', network: options.network });
  let current: { token: string; renewAt: number } | undefined;
  let minting: Promise<string> | undefined;

  const request = async (): Promise<string> => {
    const form = options.form();
    const context = { signal: AbortSignal.timeout(TIMEOUT_MS), maxBytes: MAX_ANSWER_BYTES };
    const startedAt = options.now();
    let answer: unknown;
    try {
      answer = await http.json({ path, query: form, form: 'always' }, context);
    } catch (error) {
      throw explain(error, form);
    }
    const { data } = minted.safeParse(answer);
    if (!data) throw new QueryError('failed', `${http.place} answered with something that is not a token`);
    const lifeMs = data.expires_in * 1000;
    current = { token: data.access_token, renewAt: startedAt + lifeMs - Math.min(MARGIN_MS, lifeMs / 2) };
    return data.access_token;
  };

  const explain = (error: unknown, form: Record<string, string>): unknown => {
    if (!(error instanceof QueryError)) return error;
    if (error.code === 'too_large' || error.code === 'timeout') {
      const what = error.code === 'timeout' ? 'did not answer in time' : 'answered with more than a token';
      return new QueryError(error.code, `${http.place} ${what}`, { cause: error });
    }
    if (!(error instanceof RefusedRequest) || error.status >= 500 || error.status === 429) return error;
    const said = refusal.safeParse(parseJson(error.body)).data;
    if (!said) return error;
    // Microsoft adds lines with ids and a time.
    const [sentence = ''] = said.error_description.split(/\r?\n/u);
    const words = options.secrets
      .flatMap((name) => form[name] ?? [])
      .reduce((hidden, secret) => hidden.replaceAll(secret, '[hidden]'), `${said.error}${sentence && `: ${sentence}`}`);
    return new TokenRefused(`${http.place} refused the credential: ${words.slice(0, 1_000)}`, {
      error: said.error,
      numbers: said.error_codes,
    });
  };

  const mint = (): Promise<string> => {
    minting ??= request().finally(() => (minting = undefined));
    return minting;
  };

  return {
    async get(signal) {
      signal.throwIfAborted();
      if (current && options.now() < current.renewAt) return current.token;
      return await orAborted(mint(), signal);
    },
    async renew(signal) {
      signal.throwIfAborted();
      return await orAborted(mint(), signal);
    },
    close: () => http.close(),
  };
}

/** The URL as the client takes it, which appends a path to a base. */
function splitUrl(url: string): { base: string; path: string[] } {
  const { origin, pathname } = new URL(url);
  return { base: origin, path: pathname.split('/').filter(Boolean).map(decodeURIComponent) };
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

async function orAborted<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  const { promise: aborted, reject } = Promise.withResolvers<never>();
  const stop = (): void => reject(signal.reason);
  signal.addEventListener('abort', stop, { once: true });
  try {
    return await Promise.race([promise, aborted]);
  } finally {
    signal.removeEventListener('abort', stop);
  }
}
