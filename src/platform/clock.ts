/** Source of the current time; passed in so that tests and bounded runs choose it. */
export interface Clock {
  now(): Date;
}

/** The machine's own clock. */
export const systemClock: Clock = { now: () => new Date() };
