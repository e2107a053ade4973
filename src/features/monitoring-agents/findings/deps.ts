import type { EntityManager } from '../../../db/orm.ts';
import type { ModelClient } from '../../../platform/anthropic/port.ts';
import type { Logger } from '../../../platform/logger.ts';
import type { RunBudget } from '../../runs/contract.ts';
import type { NotificationDeps } from '../../notifications/index.ts';

/** Dependencies of the services behind a finding's workflow. */
export interface FindingDeps extends NotificationDeps {
  log: Logger;
  /** The web app's address, without a trailing slash. */
  appUrl: string;
  model: ModelClient;
  /** Whether an agent has spent its daily model budget. @param em bound to the agent's team */
  isBudgetSpent: (em: EntityManager, agentId: string, now: Date) => Promise<boolean>;
  /** Bounds for the investigations that findings open. */
  investigationBudget: RunBudget;
}
