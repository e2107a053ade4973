/** The end of a turn as its row has it, for those who wait for it: they are many, and what was said may be megabytes. */
import type { EntityManager } from '../../db/orm.ts';
import type { NewEvent } from '../../platform/event-log/port.ts';
import { isOpen } from '../runs/index.ts';
import { ChatTurn } from './entities.ts';
import { usageSoFar } from './model-turns.ts';
import { turnEndEvent } from './stream/end.ts';

/**
 * Reads whether a turn has ended, without its words: only their digest leaves the database.
 * @param em a fresh entity manager of the turn's team
 * @returns the last event of the turn's stream, once it has ended
 */
export async function recordedEnd(em: EntityManager, id: string): Promise<NewEvent | 'processing' | 'deleted'> {
  const turn = await em.findOne(ChatTurn, { id }, { exclude: ['text', 'searchText', 'question', 'systemPrompt'] });
  if (!turn) return 'deleted';
  if (isOpen(turn.status)) return 'processing';
  return turnEndEvent(turn, await storedTextDigest(em, id), await usageSoFar(em, turn));
}

/** The `textDigest` of what a turn said, by PostgreSQL. */
async function storedTextDigest(em: EntityManager, id: string): Promise<string> {
  const [row] = await em.execute<{ digest: string }[]>(
    `select left(translate(encode(sha256(convert_to(coalesce(text, ''), 'UTF8')), 'base64'), '+/', '-_'), 22) as digest
     from chat_turns where id = ?`,
    [id],
  );
  // The chat may have been deleted a moment ago: there are no words then, and nobody to tell of them.
  return row?.digest ?? '';
}
