export { beginMonitoring, recordStanding } from './health.ts';
export { evictSessions, sweepAgents } from './sweeper.ts';
export { createAlertLimiter } from './triggers/limiter.ts';
export { isBudgetSpent } from './budget.ts';
export { retitleAgent } from './configure.ts';
export { purgeAgent } from './delete.ts';
export { runChecks } from './run-checks.ts';
export { scheduleChecks } from './schedule/index.ts';
export { createAgentLauncher, type AgentLauncher } from './launch.ts';
export { createFindingLauncher, sweepFindings, type FindingDeps } from './findings/index.ts';
export {
  beginInstructionCheck,
  finishInstructionCheck,
  instructionProfile,
  submitCheckResult,
  type InstructionCheckDeps,
  type InstructionCheckRun,
} from './instruction/index.ts';
export { monitoringTools } from './tools/index.ts';
export type { MonitoringDeps } from './routes/deps.ts';
export type { MonitoringRunDeps } from './deps.ts';
export type { MonitoringServiceDeps } from './service.ts';
export { monitoringAgentsRoom } from './room.ts';
