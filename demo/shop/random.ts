/** A time around a mean, as services have: never near zero, now and then twice as long. */
export function around(mean: number): number {
  return mean * (0.6 + 0.4 * exponential(1));
}

/** The time until the next of events that are independent of each other. */
export function exponential(mean: number): number {
  return -Math.log(1 - Math.random()) * mean;
}
