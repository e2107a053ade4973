/** What authenticates requests: a personal access token, or the tokens of a GitHub App's installation. */
import { z } from 'zod';
import { parseHostAnswer } from '../shared/code-host/refusals.ts';
import { headerSecret } from '../shared/header-values.ts';
import { orAborted } from '../shared/or-aborted.ts';
import { signedJwt } from '../shared/signed-jwt.ts';
import type { GitHubConfig } from './config.ts';

/** A token is replaced this long before it expires: Git may use it for a while. */
const MARGIN_MS = 10 * 60_000;
/** For one request, however many callers wait for it, and however briefly. */
const TIMEOUT_MS = 30_000;
/** GitHub accepts no longer life, nor a time of issue after its own. */
const JWT_SECONDS = 540;
const CLOCK_SKEW_SECONDS = 30;

const minted = z.object({ token: headerSecret, expires_at: z.iso.datetime({ offset: true }) });

/** Sends a request with a credential. @throws {CodeHostError} */
type Send = (route: string, authorization: string, signal: AbortSignal) => Promise<unknown>;

export interface Credentials {
  isApp: boolean;
  /** @throws {CodeHostError} when no token can be had, or the signal's reason */
  token(signal: AbortSignal): Promise<string>;
  /** For requests as the App, not as its installation. */
  jwt(): string;
}

/** @param options.now unix ms */
export function openCredentials(
  config: GitHubConfig,
  options: { send: Send; place: string; now: () => number },
): Credentials {
  const { token, app_id: iss, private_key: key, installation_id: installation } = config;
  if (token !== undefined) return { isApp: false, token: async () => token, jwt: () => token };
  if (key === undefined) throw new Error('The configuration was not validated.');

  const jwt = (): string => {
    const iat = Math.floor(options.now() / 1000) - CLOCK_SKEW_SECONDS;
    return signedJwt({ iss, iat, exp: iat + JWT_SECONDS }, { key });
  };
  let current: { token: string; renewAt: number } | undefined;
  let minting: Promise<string> | undefined;
  const mint = async (): Promise<string> => {
    const route = `POST /app/installations/${installation}/access_tokens`;
    const answer = await options.send(route, jwt(), AbortSignal.timeout(TIMEOUT_MS));
    const fresh = parseHostAnswer(minted, answer, options.place);
    current = { token: fresh.token, renewAt: Date.parse(fresh.expires_at) - MARGIN_MS };
    return fresh.token;
  };
  return {
    isApp: true,
    async token(signal) {
      signal.throwIfAborted();
      if (current && options.now() < current.renewAt) return current.token;
      minting ??= mint().finally(() => (minting = undefined));
      try {
        return await orAborted(minting, signal);
      } catch (error) {
        signal.throwIfAborted();
        throw error;
      }
    },
    jwt,
  };
}
