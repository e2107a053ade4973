import type { EntityManager } from '../../../db/orm.ts';
import type { Actor } from '../../../http/authenticate.ts';
import { Conflict } from '../../../http/errors.ts';
import type { Clock } from '../../../platform/clock.ts';
import type { Investigation } from '../entities.ts';
import { getInvestigation } from '../service.ts';

/**
 * Records whether people found an investigation right; null withdraws it. The last word counts.
 * @throws {NotFound}
 * @throws {Conflict} if it has no report
 */
export async function judgeInvestigation(
  em: EntityManager,
  clock: Clock,
  actor: Actor,
  id: string,
  judgement: Investigation['judgement'],
): Promise<Investigation> {
  const investigation = await getInvestigation(em, id);
  if (investigation.report === null) {
    throw new Conflict('There is no report to rate.', 'no_report');
  }
  const by =
    judgement === null
      ? { judgedAt: null, judgedByCredentialId: null, judgedByUserId: null }
      : {
          judgedAt: clock.now(),
          judgedByCredentialId: actor.credentialId ?? null,
          judgedByUserId: actor.userId ?? null,
        };
  em.assign(investigation, { judgement, ...by });
  await em.flush();
  return investigation;
}
