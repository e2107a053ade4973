/** Puts together what API and worker both need of monitoring agents. */
import type { Client } from '@temporalio/client';
import type { Config } from '../config.ts';
import type { Orm } from '../db/orm.ts';
import {
  createAgentLauncher,
  createAlertLimiter,
  createFindingLauncher,
  retitleAgent,
} from '../features/monitoring-agents/index.ts';
import { createNotifier } from '../features/notifications/index.ts';
import { systemClock } from '../platform/clock.ts';
import type { Logger } from '../platform/logger.ts';
import { createOutbound } from '../platform/outbound/index.ts';
import type { SecretBox } from '../platform/secrets/index.ts';
import type { Patience } from './patience.ts';

export interface MonitoringParts {
  config: Config;
  orm: Orm;
  client: Client;
  log: Logger;
  /** Seals channels, and opens them. */
  secrets: SecretBox;
  /** Another queue than the product's own, for tests and benches; another length of the histories of agents, likewise. */
  taskQueue?: string;
  eventsPerHistory?: number;
  /** More time for what the process needs, likewise. */
  patience?: Patience;
}

export function composeMonitoring(parts: MonitoringParts) {
  const { config, orm, client, log, secrets, taskQueue, eventsPerHistory } = parts;
  const deadlineMs = parts.patience?.controlDeadlineMs;
  const findings = { orm, log, launcher: createFindingLauncher(client, { taskQueue, deadlineMs }) };
  const launcher = createAgentLauncher(client, { taskQueue, eventsPerHistory, deadlineMs });
  const agents = { orm, clock: systemClock, log, launcher, findings, alertLimiter: createAlertLimiter() };
  const outbound = createOutbound({ allow: config.outboundAllow, log });
  const channels = { outbound, slack: config.slack, mail: config.mail };
  return {
    agents,
    findings,
    /** What channels can be sent to. */
    channels,
    notifier: createNotifier({ ...channels, box: secrets, clock: systemClock }),
    /** The chat of an agent has another title. */
    titled: (chat: { id: string; teamId: string }, title: string): Promise<void> => retitleAgent(agents, chat, title),
  };
}
