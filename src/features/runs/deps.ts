import type { Orm } from '../../db/orm.ts';
import type { ModelClient } from '../../platform/anthropic/port.ts';
import type { Clock } from '../../platform/clock.ts';
import type { EventLog } from '../../platform/event-log/port.ts';
import type { Logger } from '../../platform/logger.ts';
import type { LoadSources } from '../sources/port.ts';
import type { RunProfiles } from './profiles.ts';

/** What the services of a run need; built once per worker process. */
export interface RunDeps {
  orm: Orm;
  events: EventLog;
  model: ModelClient;
  sources: LoadSources;
  profiles: RunProfiles;
  clock: Clock;
  log: Logger;
}

/** The activity attempt on whose behalf a service works. */
export interface Attempt {
  /** From 1. */
  number: number;
  /** Fires on cancellation, time-out and worker shutdown. */
  signal: AbortSignal;
  /**
   * Whether the run itself wants the work to stop. Otherwise an aborted attempt only lost its worker, and another
   * attempt will do the work.
   */
  cancelRequested(): boolean;
}
