/** The delay before retrying a server. */
export interface Backoff {
  /** Before the first attempt after a failure, in ms. */
  firstMs: number;
  maxMs: number;
}

/**
 * Doubles with each failure, with half of it random, so that servers that went down together do not return at once.
 * @param failures number of consecutive failures, 1 or more
 * @returns ms
 */
export function backoffMs(failures: number, { firstMs, maxMs }: Backoff): number {
  const whole = Math.min(maxMs, firstMs * 2 ** Math.min(failures - 1, 30));
  return whole * (0.5 + Math.random() / 2);
}
