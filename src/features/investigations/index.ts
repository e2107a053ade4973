export { Investigation } from './entities.ts';
export { describeInvestigation, investigationRuns, investigationProfile } from './kind.ts';
export type { InvestigationDeps } from './deps.ts';
export { commitInvestigation, type InvestigationServiceDeps } from './service.ts';
export { locateExcerpt } from './report/index.ts';
export { createStatusReader } from './status/reader.ts';
export { investigationTools } from './tools/index.ts';
export { investigationsRoom } from './room.ts';
