/** A service time around a mean: never near zero, occasionally twice as long. */
export function around(mean: number): number {
  return mean * (0.6 + 0.4 * exponential(1));
}

/** The time until the next of independent events. */
export function exponential(mean: number): number {
  return -Math.log(1 - Math.random()) * mean;
}
