import type { EntityManager } from '../../../db/orm.ts';
import { MonitoringSession } from '../entities.ts';
import type { OpeningFacts } from './prompt.ts';

/** Ended sessions that are looked back at. */
const LOOKED_BACK = 20;
const MOST_SUBJECTS = 50;

/** What earlier runs of a check judged, each subject as it was seen last, the latest first. */
export async function earlierSubjects(
  em: EntityManager,
  { agentId, checkId }: { agentId: string; checkId: string },
): Promise<OpeningFacts['earlier']> {
  const sessions = await em.find(
    MonitoringSession,
    { agentId, checkId, checkType: 'instruction', status: { $in: ['ok', 'finding'] } },
    { orderBy: { startedAt: 'desc', id: 'desc' }, limit: LOOKED_BACK, fields: ['observations'] },
  );
  const known = new Map<string, boolean>();
  for (const { subject, isFinding } of sessions.flatMap(({ observations }) => observations)) {
    if (!known.has(subject)) known.set(subject, isFinding);
  }
  return [...known].slice(0, MOST_SUBJECTS).map(([subject, wasFinding]) => ({ subject, wasFinding }));
}
