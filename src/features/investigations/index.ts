export { Investigation } from './entities.ts';
export { describeInvestigation, investigationRuns, investigationProfile } from './kind.ts';
export type { InvestigationDeps } from './deps.ts';
export { commitInvestigation, type InvestigationServiceDeps } from './service.ts';
export { locateExcerpt, suggestion, type StoredSuggestion } from './report/index.ts';
export { createStatusReader } from './status/reader.ts';
export { investigationTools } from './tools/index.ts';
export { investigationsRoom } from './room.ts';
export { codeSpan, safeBlock, safeInline } from './report/safe-markdown.ts';
