import type { Room, RoomCore } from '../../room.ts';
import { createProgressReader } from '../runs/index.ts';
import type { LoadTeamTools } from '../tools/index.ts';
import { Investigation } from './entities.ts';
import { createInvestigationLauncher } from './launch.ts';
import { investigationProfile } from './profile.ts';
import { submitReport } from './report/index.ts';
import { investigationEndpoints } from './routes.ts';
import type { InvestigationServiceDeps } from './service.ts';
import { createStatusReader } from './status-reader.ts';
import { sweep } from './sweeper.ts';

export const investigationsRoom = {
  name: 'investigations',
  endpoints: investigationEndpoints,
  entities: [Investigation],
  build({ config: { budget, temporal, timeouts }, client, orm, events, clock, log, appUrl }: RoomCore) {
    const launcher = createInvestigationLauncher(client, budget, temporal.taskQueue, timeouts.temporalMs);
    return {
      investigations: { orm, events, clock, log, appUrl, launcher },
      investigationStatus: createStatusReader({
        progress: createProgressReader({ query: (id) => launcher.progress(id) }),
      }),
      links: { appUrl, temporalUiUrl: temporal.uiUrl, temporalNamespace: temporal.namespace },
    };
  },
  runKinds: ({ runTools, teamTools }: RoomCore & { teamTools: LoadTeamTools }) => ({
    investigation: { tools: [...runTools, submitReport], profile: investigationProfile(runTools, teamTools) },
  }),
  sweeps: [({ investigations }: { investigations: InvestigationServiceDeps }) => sweep(investigations)],
} satisfies Room;
