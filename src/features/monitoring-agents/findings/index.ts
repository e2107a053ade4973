export { judgingCostSince } from './judge.ts';
export type { FindingDeps } from './deps.ts';
export { commitFindingInvestigation, investigateFinding, openInvestigation, readInvestigation } from './investigate.ts';
export { judgeFinding, leaveUnjudged } from './judge.ts';
export { createFindingLauncher, type FindingLauncher } from './launch.ts';
export { notify } from './notify.ts';
export { observeAlert, observeHealth, observeSession, releaseSources, type KnownFindings } from './observe.ts';
export { presentFinding, presentFindingDetail, type FindingLinks } from './presenter.ts';
export { findFinding, listFindings, refsOf, type FindingDetail, type FindingQuery } from './queries.ts';
export { readFinding } from './queries.ts';
export {
  FindingListQuery,
  FindingListResponse,
  FindingResponse,
  NotificationResponse,
  TeamFindingListQuery,
} from './schemas.ts';
export { settleFinding } from './apply.ts';
export { sweepFindings, type FindingSweepOptions } from './sweeper.ts';
export { notifyFindings, type FindingNotifier } from './launch.ts';
