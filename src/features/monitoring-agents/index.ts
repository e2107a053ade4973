import type { Room } from '../../room.ts';
import { Finding, MonitoringAgent, MonitoringPlanVersion, MonitoringSession } from './entities.ts';
import { get, list, pause, remove, resume, runNow } from './routes/agents.ts';
import { monitoringChat } from './routes/chat.ts';
import { getConfig, testConfig, updateConfig } from './routes/config.ts';
import { getFinding, getSession, listAgentFindings, listFindings, listSessions } from './routes/history.ts';
import { getPlan, listVersions, updatePlan } from './routes/plan.ts';
import { trigger } from './routes/trigger.ts';

export { beginMonitoring, recordStanding } from './standing.ts';
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

export const monitoringAgentsRoom = {
  name: 'monitoring-agents',
  endpoints: [
    monitoringChat,
    list,
    get,
    remove,
    pause,
    resume,
    runNow,
    getPlan,
    updatePlan,
    listVersions,
    getConfig,
    updateConfig,
    testConfig,
    listSessions,
    getSession,
    listAgentFindings,
    listFindings,
    getFinding,
    trigger,
  ],
  entities: [MonitoringAgent, MonitoringPlanVersion, MonitoringSession, Finding],
} satisfies Room;
