export { beginMonitoring, recordStanding } from './agent/health.ts';
export { evictSessions, sweepAgents } from './sweeper.ts';
export { agentsThatName } from './plan/queries.ts';
export { purgeAgent } from './agent/delete.ts';
export { runChecks } from './sessions/run-checks.ts';
export { scheduleChecks } from './schedule/index.ts';
export { createAgentLauncher } from './launch.ts';
export { createFindingLauncher } from './findings/index.ts';
export {
  beginInstructionCheck,
  finishInstructionCheck,
  type InstructionCheckDeps,
  type InstructionCheckRun,
} from './instruction/index.ts';
export { monitoringTools } from './tools/index.ts';
export type { MonitoringRunDeps } from './deps.ts';
export { monitoringAgentsRoom } from './room.ts';
