/** What authenticates requests: a personal access token, or the tokens of a GitHub App's installation. */
import { createAppAuth } from '@octokit/auth-app';
import { z } from 'zod';
import { headerSecret } from '../shared/header-values.ts';
import { parseHostAnswer } from '../shared/code-host/refusals.ts';
import { orAborted } from '../shared/or-aborted.ts';
import type { GitHubConfig } from './config.ts';

/** A token is replaced this long before it expires. Git may use it for a while. */
const MARGIN_MS = 10 * 60_000;
/** For one request, however many callers wait for it, and however briefly. */
const TIMEOUT_MS = 30_000;

const minted = z.object({ token: headerSecret, expires_at: z.iso.datetime({ offset: true }) });

/** Sends a request with a credential. @throws {CodeHostError} */
type Send = (route: string, authorization: string, signal: AbortSignal) => Promise<unknown>;

export interface Credentials {
  isApp: boolean;
  /** @throws {CodeHostError} when no token can be had */
  token(signal: AbortSignal): Promise<string>;
  /** Signed with the App's key, for requests as the App itself. @throws without an App */
  jwt(): Promise<string>;
}

/** @param options.now unix ms */
export function openCredentials(
  config: GitHubConfig,
  options: { send: Send; place: string; now: () => number },
): Credentials {
  const { token, app_id: appId, private_key: privateKey, installation_id: installation } = config;
  if (token !== undefined) {
    return {
      isApp: false,
      token: async () => token,
      jwt: () => Promise.reject(new Error('A token is no App.')),
    };
  }
  if (appId === undefined || privateKey === undefined) throw new Error('The configuration was not validated.');
  // Only for its JWT: it shares requests for an installation's token in the whole process, whatever the key and the host.
  const auth = createAppAuth({ appId, privateKey });
  const jwt = async (): Promise<string> => (await auth({ type: 'app' })).token;

  let current: { token: string; renewAt: number } | undefined;
  let minting: Promise<string> | undefined;
  const mint = async (): Promise<string> => {
    const route = `POST /app/installations/${installation}/access_tokens`;
    const answer = await options.send(route, await jwt(), AbortSignal.timeout(TIMEOUT_MS));
    const fresh = parseHostAnswer(minted, answer, options.place);
    current = { token: fresh.token, renewAt: Date.parse(fresh.expires_at) - MARGIN_MS };
    return fresh.token;
  };
  return {
    isApp: true,
    async token(signal) {
      if (current && options.now() < current.renewAt) return current.token;
      minting ??= mint().finally(() => (minting = undefined));
      return await orAborted(minting, signal);
    },
    jwt,
  };
}
