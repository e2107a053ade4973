import type { EntityManager } from '../../../db/orm.ts';
import type { ModelClient } from '../../../platform/anthropic/port.ts';
import type { Logger } from '../../../platform/logger.ts';
import type { RunBudget } from '../../runs/contract.ts';
import type { NotificationDeps } from '../../notifications/index.ts';

/** What the services of a finding's workflow need. */
export interface FindingDeps extends NotificationDeps {
  log: Logger;
  /** Where people see things, without a trailing slash. */
  appUrl: string;
  model: ModelClient;
  /** Whether an agent has spent what its models may cost in a day. @param em bound to the agent's team */
  isBudgetSpent: (em: EntityManager, agentId: string, now: Date) => Promise<boolean>;
  /** Bounds of the investigations that findings open. */
  investigationBudget: RunBudget;
}
