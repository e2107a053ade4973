/** The recorded end of a turn, for the many who wait for it; its text may be megabytes. */
import type { EntityManager } from '../../db/orm.ts';
import type { NewEvent } from '../../platform/event-log/port.ts';
import { isOpen } from '../runs/index.ts';
import { ChatTurn } from './entities.ts';
import { usageSoFar } from './model-turns.ts';
import { turnEndEvent } from './stream/end.ts';

/**
 * Reads whether a turn has ended. Only the digest of its text leaves the database.
 * @param em a fresh entity manager of the turn's team
 * @returns the last event of the turn's stream, once it has ended
 */
export async function recordedEnd(em: EntityManager, id: string): Promise<NewEvent | 'processing' | 'deleted'> {
  const turn = await em.findOne(ChatTurn, { id }, { exclude: ['text', 'searchText', 'question', 'systemPrompt'] });
  if (!turn) return 'deleted';
  if (isOpen(turn.status)) return 'processing';
  return turnEndEvent(turn, await storedTextDigest(em, id), await usageSoFar(em, turn));
}

/** The `textDigest` of a turn's text, computed by PostgreSQL. */
async function storedTextDigest(em: EntityManager, id: string): Promise<string> {
  const [row] = await em.execute<{ digest: string }[]>(
    `select left(translate(encode(sha256(convert_to(coalesce(text, ''), 'UTF8')), 'base64'), '+/', '-_'), 22) as digest
     from chat_turns where id = ?`,
    [id],
  );
  // The chat may have just been deleted: then there is no text, and nobody to notify.
  return row?.digest ?? '';
}
