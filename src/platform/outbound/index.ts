/** Requests to user-supplied URLs: never into the operator's own network, unless the operator allows it. */
import type { Logger } from '../logger.ts';
import { createAllowList } from './allow-list.ts';
import { OutboundError, createGuard, hostOf, type Guard, type Resolve } from './guard.ts';
import { sendGuarded, type OutboundLimits, type OutboundRequest } from './request.ts';

export { OutboundError, type OutboundFailure, type Resolve } from './guard.ts';

/**
 * Compatible with the platform's fetch as far as {@link OutboundRequest} goes; pass it to clients that accept a fetch.
 */
type OutboundFetch = (url: string | URL, init?: OutboundRequest) => Promise<Response>;

export interface Outbound {
  /** @throws {OutboundError}; or the abort reason of the request's signal */
  fetch: OutboundFetch;
  /** What is wrong with a URL as written, phrased for the person who entered it; undefined if nothing. */
  urlProblem(url: string | URL): string | undefined;
  /** For connections that others make. */
  network: Pick<Guard, 'lookup' | 'hostProblem' | 'urlProblem'>;
  /** A copy that also allows requests to the hosts of these URLs, which come from the operator's configuration. */
  allowing(urls: readonly string[]): Outbound;
}

interface OutboundOptions extends Partial<OutboundLimits> {
  /**
   * Host names, addresses and CIDRs that are allowed although not public, and over http, which is otherwise forbidden.
   */
  allow: readonly string[];
  log?: Logger;
  /** How names become addresses; as the operating system does by default. */
  resolve?: Resolve;
}

const LIMITS: OutboundLimits = { timeoutMs: 10_000, maxResponseBytes: 1_048_576 };

export function createOutbound(options: OutboundOptions): Outbound {
  const limits = {
    timeoutMs: options.timeoutMs ?? LIMITS.timeoutMs,
    maxResponseBytes: options.maxResponseBytes ?? LIMITS.maxResponseBytes,
  };
  const guard = createGuard(createAllowList(options.allow), options.resolve);
  return {
    async fetch(url, init) {
      try {
        return await sendGuarded(guard, limits, url, init);
      } catch (error) {
        if (error instanceof OutboundError && error.failure === 'refused') {
          options.log?.warn({ host: URL.parse(String(url))?.host }, 'an outbound request was refused');
        }
        throw error;
      }
    },
    urlProblem: (url) => guard.urlProblem(url),
    network: guard,
    allowing: (urls) =>
      createOutbound({ ...options, allow: [...options.allow, ...urls.map((url) => hostOf(new URL(url)))] }),
  };
}
