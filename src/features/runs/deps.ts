import type { Orm } from '../../db/orm.ts';
import type { ModelClient } from '../../platform/anthropic/port.ts';
import type { Clock } from '../../platform/clock.ts';
import type { EventLog } from '../../platform/event-log/port.ts';
import type { Logger } from '../../platform/logger.ts';
import type { LoadSources } from '../sources/port.ts';
import type { RunProfiles } from './profiles.ts';

/** Dependencies of a run's services, built once per worker. */
export interface RunDeps {
  orm: Orm;
  events: EventLog;
  model: ModelClient;
  sources: LoadSources;
  profiles: RunProfiles;
  clock: Clock;
  log: Logger;
}

/** The activity attempt a service works for. */
export interface Attempt {
  /** From 1. */
  number: number;
  /** Fires on cancellation, timeout and worker shutdown. */
  signal: AbortSignal;
  /**
   * Whether the run itself was cancelled. Otherwise an aborted attempt merely lost its worker, and another will do the
   * work.
   */
  cancelRequested(): boolean;
}
