import { newRun } from '../../src/features/runs/index.ts';
import { randomUUID } from 'node:crypto';
import type { EntityManager } from '../../src/db/orm.ts';
import { Investigation } from '../../src/features/investigations/index.ts';
import { openingMessage } from '../../src/features/investigations/prompt.ts';
import { Conversation } from '../../src/features/transcripts/index.ts';

/**
 * Commits the rows of an investigation as the API does, and starts nothing.
 * @param em bound to the team
 * @returns the investigation's id
 */
export async function commitInvestigation(em: EntityManager, teamId: string, query: string): Promise<string> {
  const id = randomUUID();
  const opening = openingMessage(query, new Date());
  em.create(Conversation, { id, teamId, kind: 'investigation', opening, plan: [], result: null });
  em.create(Investigation, {
    id,
    ...newRun('investigation', id, { teamId, scopes: ['team:admin'] }),
    query,
    trigger: 'api',
    rerunOfId: null,
    alertSummary: null,
    investigationText: null,
    report: null,
    startedAt: new Date(),
  });
  await em.flush();
  return id;
}
