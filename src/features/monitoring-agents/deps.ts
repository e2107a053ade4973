import type { Orm } from '../../db/orm.ts';
import type { EventLog } from '../../platform/event-log/port.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Logger } from '../../platform/logger.ts';
import type { LoadSources } from '../sources/port.ts';
import type { LoadTeamTools } from '../tools/tool.ts';
import type { WorkspaceDrafts } from '../workspace/index.ts';
import type { FindingNotifier } from './findings/index.ts';

/** Dependencies of the monitoring agents' activities; built once per worker process. */
export interface MonitoringRunDeps {
  orm: Orm;
  clock: Clock;
  log: Logger;
  events: EventLog;
  drafts: WorkspaceDrafts;
  sources: LoadSources;
  /** The team's own tools, served by its satellites. */
  teamTools: LoadTeamTools;
  findings: FindingNotifier;
}
