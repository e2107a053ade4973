import type { Room, RoomCore } from '../../room.ts';
import { currentDeployment } from './deployment.ts';
import { serviceEndpoints } from './routes.ts';

export const serviceRoom = {
  name: 'service',
  endpoints: serviceEndpoints,
  build: ({ config, clock }: RoomCore) => ({
    deployment: currentDeployment({ environment: config.nodeEnv, startedAt: clock.now() }),
    modelProvider: config.model.apiKey || config.model.baseUrl ? ('anthropic' as const) : ('offline' as const),
  }),
} satisfies Room;
