import type { Config } from '../config.ts';
import type { Orm } from '../db/orm.ts';
import { createAgentSatellites, storedSatellites } from '../features/satellites/agent/index.ts';
import { createSourceCatalog, type LoadSources } from '../features/sources/index.ts';
import { systemClock } from '../platform/clock.ts';
import type { EventLog } from '../platform/event-log/index.ts';
import type { Logger } from '../platform/logger.ts';

/** The sources of a team as the API lists them: those of the installation, and those behind the team's satellites. */
export function teamSources(parts: { config: Config; orm: Orm; events: EventLog; log: Logger }): LoadSources {
  const { config, orm, events, log } = parts;
  const own = createSourceCatalog({ ...config.sources, logger: log });
  return createAgentSatellites(storedSatellites({ orm, events, clock: systemClock, log }), { own, reserved: [] })
    .sources;
}
