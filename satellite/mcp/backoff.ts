/** How long to wait before a server is tried again. */
export interface Backoff {
  /** Before the first attempt after a failure, in ms. */
  firstMs: number;
  maxMs: number;
}

/**
 * Doubles with each failure, and takes a random half off: servers that went down together do not come back as one.
 *
 * @param failures how often it has failed in a row, 1 or more
 * @returns ms
 */
export function backoffMs(failures: number, { firstMs, maxMs }: Backoff): number {
  const whole = Math.min(maxMs, firstMs * 2 ** Math.min(failures - 1, 30));
  return whole * (0.5 + Math.random() / 2);
}
