import type { Room, RoomCore } from '../../room.ts';
import { createProgressReader, createRunLauncher, sweepRuns, type RunSettings } from '../runs/index.ts';
import { Investigation } from './entities.ts';
import { investigationRuns } from './kind.ts';
import { investigationEndpoints } from './routes.ts';
import type { InvestigationServiceDeps } from './service.ts';
import { InvestigationShare } from './shares/entities.ts';
import { sharePepperFrom } from './shares/service.ts';
import { createStatusReader } from './status/reader.ts';

export const investigationsRoom = {
  name: 'investigations',
  endpoints: investigationEndpoints,
  entities: [Investigation, InvestigationShare],
  scopes: {
    'investigations:read': { allows: 'Read', forMembers: true },
    'investigations:write': { allows: 'Start, steer and cancel', forMembers: true },
    'investigations:share': { allows: 'Share reports by read-only link', forMembers: true },
  },
  build({
    config: { budget, temporal, timeouts },
    client,
    orm,
    events,
    clock,
    log,
    appUrl,
    secretKeys,
    sources,
  }: RoomCore & { config: RunSettings }) {
    const launcher = createRunLauncher(client, investigationRuns, {
      budget,
      appUrl,
      taskQueue: temporal.taskQueue,
      deadlineMs: timeouts.temporalMs,
    });
    return {
      investigations: { orm, events, clock, log, appUrl, sources, launcher },
      investigationStatus: createStatusReader({
        progress: createProgressReader({ query: (id) => launcher.progress(id) }),
      }),
      sharePepper: sharePepperFrom(secretKeys),
      links: { appUrl, temporalUiUrl: temporal.uiUrl, temporalNamespace: temporal.namespace },
    };
  },
  runKinds: [investigationRuns],
  sweeps: [
    ({ investigations }: { investigations: InvestigationServiceDeps }) => sweepRuns(investigations, investigationRuns),
  ],
} satisfies Room;
