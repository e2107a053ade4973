import type { EntityManager } from '../../../db/orm.ts';
import { MonitoringSession } from '../entities.ts';
import type { OpeningFacts } from './prompt.ts';

/** How many ended sessions are considered. */
const LOOKED_BACK = 20;
const MAX_SUBJECTS = 50;

/** The judgements of a check's earlier runs: the last status of each subject, the latest first. */
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
  return [...known].slice(0, MAX_SUBJECTS).map(([subject, wasFinding]) => ({ subject, wasFinding }));
}
