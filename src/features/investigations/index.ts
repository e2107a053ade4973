import type { Room } from '../../room.ts';
import { Investigation } from './entities.ts';
import { investigationEndpoints } from './routes.ts';
export { Investigation };
export { createInvestigationLauncher, describeInvestigation, type InvestigationLauncher } from './launch.ts';
export { investigationProfile } from './profile.ts';
export type { Links } from './presenter.ts';
export type { InvestigationDeps } from './routes.ts';
export { commitInvestigation, type InvestigationServiceDeps, type Requester } from './service.ts';
export { locateExcerpt, submitReport } from './report/index.ts';
export { createStatusReader } from './status-reader.ts';
export { sweep } from './sweeper.ts';
export { investigationTools } from './tools/index.ts';

export const investigationsRoom = {
  name: 'investigations',
  endpoints: investigationEndpoints,
  entities: [Investigation],
} satisfies Room;
