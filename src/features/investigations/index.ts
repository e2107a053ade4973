export { Investigation } from './entities.ts';
export { createInvestigationLauncher, type InvestigationLauncher } from './launch.ts';
export { investigationProfile } from './profile.ts';
export type { Links } from './presenter.ts';
export { investigationEndpoints, type InvestigationDeps } from './routes.ts';
export type { InvestigationServiceDeps } from './service.ts';
export { createStatusReader } from './status-reader.ts';
export { sweep } from './sweeper.ts';
export { investigationTools } from './tools/index.ts';
