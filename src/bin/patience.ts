/**
 * How long what a process needs may take, in milliseconds; where nothing is given the product's own limits hold. For
 * tests: they are not about a machine that stands still for some seconds.
 */
export interface Patience {
  /** For a connection to PostgreSQL or Redis to come about. */
  connectTimeoutMs?: number;
  /** For Redis to answer, where the event log is there. */
  redisTimeoutMs?: number;
  /** For Temporal to take what it is told. */
  controlDeadlineMs?: number;
  /** For one run of Git. */
  gitTimeoutMs?: number;
}
