export { judgingCostSince } from './judge.ts';
export type { FindingDeps } from './deps.ts';
export { commitFindingInvestigation, investigateFinding, openInvestigation, readInvestigation } from './investigate.ts';
export { faultsOfCheck } from './faults.ts';
export { BUTTONS } from './messages.ts';
export { actOnFinding, type WantedAct } from './act.ts';
export { judgeFinding, leaveUnjudged } from './judge.ts';
export { createFindingLauncher, type FindingLauncher } from './launch.ts';
export { notify } from './notify.ts';
export { observeAlert, observeHealth, observeSession, releaseSources, type KnownFindings } from './observe.ts';
export { presentFinding, presentFindingDetail } from './presenter.ts';
export { findFinding, listFindings, refsOf, type FindingQuery } from './queries.ts';
export { readFinding } from './queries.ts';
export {
  AcknowledgeRequest,
  AssignRequest,
  CloseRequest,
  CommentHeaders,
  CommentRequest,
  FindingListQuery,
  FindingListResponse,
  FindingResponse,
  MuteRequest,
  TeamFindingListQuery,
} from './schemas.ts';
export { settleFinding } from './apply.ts';
export { sweepFindings, type FindingSweepOptions } from './sweeper.ts';
export { notifyFindings, type FindingNotifier } from './launch.ts';
