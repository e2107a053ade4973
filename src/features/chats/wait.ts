import type { EntityManager } from '../../db/orm.ts';
import type { EventLog } from '../../platform/event-log/port.ts';
import { followRun, runStream } from '../runs/index.ts';
import { ChatTurn } from './entities.ts';
import { chatNotFound } from './errors.ts';
import { modelTurnsOf } from './model-turns.ts';
import { turnEndEvent } from './stream/end.ts';
import { usageOf } from './usage.ts';

/**
 * Waits for the end of a turn.
 * @param em a fresh entity manager of the turn's team
 * @param signal ends the waiting, not the turn
 * @returns the ended turn, or undefined when the signal fired first
 * @throws {NotFound} when its chat was deleted meanwhile
 */
export async function untilTurnEnded(
  log: EventLog,
  { id, chatId }: Pick<ChatTurn, 'id' | 'chatId'>,
  em: () => EntityManager,
  signal: AbortSignal,
): Promise<ChatTurn | undefined> {
  const deleted = new AbortController();
  const ended = async (): Promise<ChatTurn | undefined> => {
    const row = await em().findOne(ChatTurn, { id });
    // Its events go with it, so that nothing else would end the waiting.
    if (!row) deleted.abort(chatNotFound());
    return row && row.status !== 'processing' ? row : undefined;
  };
  const ending = async () => {
    const row = await ended();
    return row && turnEndEvent(row, usageOf(await modelTurnsOf(em(), row)));
  };
  const following = { ending, signal: AbortSignal.any([signal, deleted.signal]) };
  // To its end: the last event says that the row is final.
  for await (const _event of followRun(log, runStream({ conversationId: chatId, runId: id }), following));
  const turn = signal.aborted ? undefined : await ended();
  deleted.signal.throwIfAborted();
  return turn;
}
