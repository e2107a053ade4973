/** Source of the current time; injected so that tests and bounded runs can set it. */
export interface Clock {
  now(): Date;
}

/** The system clock. */
export const systemClock: Clock = { now: () => new Date() };
