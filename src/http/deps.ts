import type { Registry } from 'prom-client';
import type { Config } from '../config.ts';
import type { Orm } from '../db/orm.ts';
import type { Clock } from '../platform/clock.ts';
import type { Logger } from '../platform/logger.ts';
import type { Authenticator } from './authenticate.ts';
import type { FailedAuthLimiter } from './rate-limit/failed-auth.ts';
import type { RateLimiter } from './rate-limit/port.ts';

/** A precondition for serving requests; `check` rejects when it is not met. */
export interface ReadinessCheck {
  name: string;
  check: (signal: AbortSignal) => Promise<void>;
}

/**
 * What every endpoint can rely on. A room that needs more (Temporal, the event log, a service) declares `interface
 * RoomDeps extends ApiDeps { … }`, defines its endpoints with `endpointFor<RoomDeps>()`, and the process that mounts
 * the room provides the rest: a missing part is a type error in `createApp`'s caller.
 */
export interface ApiDeps {
  config: Config;
  log: Logger;
  clock: Clock;
  orm: Orm;
  authenticator: Authenticator;
  /** Requests per minute and key; created by `createRateLimiters`. */
  rateLimiter: RateLimiter;
  /** Failed authentications per minute and address. */
  failedAuthLimiter: FailedAuthLimiter;
  readiness: ReadinessCheck[];
  /** This process's metrics, served by `/metrics`. */
  metrics: Registry;
}
