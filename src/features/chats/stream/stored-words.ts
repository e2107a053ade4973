/** Stored text for followers of a turn who missed it: one copy per process. */
import type { EntityManager } from '../../../db/orm.ts';
import { spokenParts } from '../../runs/index.ts';
import { ModelTurn } from '../../transcripts/index.ts';
import { ChatTurn } from '../entities.ts';
import { modelTurnsOf } from '../turns/model-turns.ts';
import type { Missing, StoredWords } from './ui-stream.ts';

interface HeldWords {
  value: StoredWords;
  /** Call this when the text is no longer needed. */
  release(): void;
}

interface Shared {
  reading: Promise<StoredWords>;
  holders: number;
}

/**
 * By turn and steps. When an attempt is lost, every follower of the turn needs the same text at once and holds it while
 * its client reads.
 */
const shared = new Map<string, Shared>();

/**
 * Reads the stored text of these steps, unless someone already holds or is reading it. Stored steps never change.
 * @param em a fresh entity manager of the turn's team
 * @throws the read's error, for everybody waiting for it
 */
export async function holdWords(
  em: () => EntityManager,
  turn: Pick<ChatTurn, 'id' | 'chatId'>,
  missing: Missing,
): Promise<HeldWords> {
  const key = `${turn.id}:${missing.from}:${missing.through ?? ''}`;
  const words = shared.get(key) ?? { reading: storedWords(em(), turn, missing), holders: 0 };
  shared.set(key, words);
  words.holders += 1;
  const release = (): void => {
    words.holders -= 1;
    if (words.holders === 0) shared.delete(key);
  };
  try {
    return { value: await words.reading, release };
  } catch (error) {
    release();
    throw error;
  }
}

async function storedWords(
  em: EntityManager,
  { id, chatId }: Pick<ChatTurn, 'id' | 'chatId'>,
  { from, through }: Missing,
): Promise<StoredWords> {
  const turns =
    through === undefined
      ? await modelTurnsOf(
          em,
          await em.findOneOrFail(ChatTurn, { id }, { fields: ['id', 'chatId', 'firstStep', 'lastStep'] }),
        )
      : await em.find(
          ModelTurn,
          { conversationId: chatId, step: { $gte: from, $lte: through } },
          { orderBy: { step: 'asc' } },
        );
  return new Map(turns.map(({ step, content }) => [step, spokenParts(content)]));
}
