/**
 * Why a request was not made or not answered. `refused`: the guard forbids the destination. `redirect`: the response
 * redirects, which is not followed. `too_large`: the response exceeds the limit.
 */
export type OutboundFailure = 'refused' | 'redirect' | 'timeout' | 'too_large' | 'unreachable';

/**
 * The message names at most the host: a URL's path and query may be secret, and the addresses behind a name are
 * private.
 */
export class OutboundError extends Error {
  override name = 'OutboundError';
  readonly failure: OutboundFailure;

  constructor(failure: OutboundFailure, message: string) {
    super(message);
    this.failure = failure;
  }
}
