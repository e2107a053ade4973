import type { EntityManager, Orm } from '../../../db/orm.ts';
import type { ModelClient } from '../../../platform/anthropic/port.ts';
import type { Clock } from '../../../platform/clock.ts';
import type { Logger } from '../../../platform/logger.ts';
import type { RunBudget } from '../../runs/contract.ts';
import type { StoredChannel } from '../entities.ts';
import type { Delivered, Delivery } from '../notifications/port.ts';

/** Sends through a stored channel. @throws {DeliveryError} */
export type Deliver = (stored: StoredChannel, teamId: string, delivery: Delivery) => Promise<Delivered>;

/** What the services of a finding's workflow need. */
export interface FindingDeps {
  orm: Orm;
  clock: Clock;
  log: Logger;
  /** Where people see things, without a trailing slash. */
  appUrl: string;
  model: ModelClient;
  deliver: Deliver;
  /** Whether an agent has spent what its models may cost in a day. @param em bound to the agent's team */
  isBudgetSpent: (em: EntityManager, agentId: string, now: Date) => Promise<boolean>;
  /** Bounds of the investigations that findings open. */
  investigationBudget: RunBudget;
  /** A notification that could not be delivered for so long has failed; a day unless given. */
  giveUpAfterMs?: number;
}
