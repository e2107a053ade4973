/**
 * Why a request was not made or not answered. `refused`: the guard does not allow where it goes. `redirect`: the answer
 * points elsewhere, and is not followed. `too_large`: the answer is longer than allowed.
 */
export type OutboundFailure = 'refused' | 'redirect' | 'timeout' | 'too_large' | 'unreachable';

/** The message names the host at most: path and query of a URL may be secret, addresses behind a name are nobody's business. */
export class OutboundError extends Error {
  override name = 'OutboundError';
  readonly failure: OutboundFailure;

  constructor(failure: OutboundFailure, message: string) {
    super(message);
    this.failure = failure;
  }
}
