import { channelContext } from '../notifications/index.ts';
import type { Room, RoomCore } from '../../room.ts';
import {
  createProgressReader,
  createRunLauncher,
  sweepRuns,
  type Run,
  type RunLauncher,
  type RunSettings,
} from '../runs/index.ts';
import { isBudgetSpent } from './agent/budget.ts';
import { retitleAgent } from './agent/configure.ts';
import type { MonitoringRunDeps } from './deps.ts';
import { Finding, FindingAct, MonitoringAgent, MonitoringPlanVersion, MonitoringSession } from './entities.ts';
import { createFindingLauncher, sweepFindings } from './findings/index.ts';
import { checkRuns, type InstructionCheckDeps } from './instruction/index.ts';
import { createAgentLauncher } from './launch.ts';
import { acknowledgeFinding, assignFinding, closeFinding, commentFinding, muteFinding } from './routes/acts.ts';
import { get, list, pause, remove, resume, runNow } from './routes/agents.ts';
import { monitoringChat } from './routes/chat.ts';
import { getConfig, testConfig, updateConfig } from './routes/config.ts';
import { getFinding, getSession, listAgentFindings, listFindings, listSessions } from './routes/history.ts';
import { getPlan, listVersions, updatePlan } from './routes/plan.ts';
import { slackInteractions } from './routes/slack.ts';
import { trigger } from './routes/trigger.ts';
import type { MonitoringServiceDeps } from './service.ts';
import { evictSessions, sweepAgents } from './sweeper.ts';
import { monitoringTools } from './tools/index.ts';
import { createAlertLimiter } from './triggers/alerts.ts';

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
    acknowledgeFinding,
    closeFinding,
    muteFinding,
    assignFinding,
    commentFinding,
    trigger,
  ],
  mounts: [slackInteractions],
  entities: [MonitoringAgent, MonitoringPlanVersion, MonitoringSession, Finding, FindingAct],
  sealed: [
    {
      table: 'monitoring_agents',
      column: 'channel',
      member: 'sealed',
      context: ({ teamId }: { teamId: string }) => channelContext(teamId),
    },
  ],
  scopes: {
    'monitoring:read': { allows: 'Read', forMembers: true },
    'monitoring:write': { allows: 'Create and change agents', forMembers: true },
    'monitoring:trigger': { allows: 'Send alerts', forMembers: true },
  },
  build({ config, client, orm, clock, log, appUrl, teamTools }: RoomCore & { config: RunSettings }) {
    const { budget, temporal, timeouts } = config;
    const control = { taskQueue: temporal.taskQueue, deadlineMs: timeouts.temporalMs };
    const launcher = createAgentLauncher(client, { ...control, appUrl, eventsPerHistory: temporal.eventsPerHistory });
    const findings = { orm, log, launcher: createFindingLauncher(client, control) };
    const monitoring = { orm, clock, log, launcher, findings, alertLimiter: createAlertLimiter() };
    return {
      monitoring,
      agentStates: createProgressReader({ query: (id) => launcher.query(id) }),
      findings,
      isBudgetSpent,
      checkBudget: budget,
      checkLauncher: createRunLauncher(client, checkRuns, { ...control, budget }),
      investigationBudget: budget,
      monitoringTools: monitoringTools({ ...monitoring, teamTools }),
      /** The title of an agent's chat changed. */
      titled: (chat: { id: string; teamId: string }, title: string): Promise<void> =>
        retitleAgent(monitoring, chat, title),
    };
  },
  runKinds: [checkRuns],
  sweeps: [
    (house: MonitoringRunDeps & { monitoring: MonitoringServiceDeps }) =>
      sweepAgents({ ...house, launcher: house.monitoring.launcher }),
    (house: MonitoringRunDeps) => evictSessions(house),
    (house: InstructionCheckDeps & RoomCore & { checkLauncher: RunLauncher<Run> }) =>
      sweepRuns({ ...house, launcher: house.checkLauncher }, checkRuns),
    ({ monitoring }: { monitoring: MonitoringServiceDeps }) =>
      sweepFindings({ ...monitoring.findings, clock: monitoring.clock }),
  ],
} satisfies Room;
