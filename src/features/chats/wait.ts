import type { EntityManager } from '../../db/orm.ts';
import type { EventLog } from '../../platform/event-log/port.ts';
import { followRun, isOpen, runStream } from '../runs/index.ts';
import { ChatTurn } from './entities.ts';
import { chatNotFound } from './errors.ts';
import { recordedEnd } from './recorded-end.ts';

/**
 * Waits for the end of a turn.
 * @param em a fresh entity manager of the turn's team
 * @param signal ends the wait, not the turn
 * @returns the ended turn, or undefined if the signal fired first
 * @throws {NotFound} if its chat was deleted meanwhile
 */
export async function untilTurnEnded(
  log: EventLog,
  { id, chatId }: Pick<ChatTurn, 'id' | 'chatId'>,
  em: () => EntityManager,
  signal: AbortSignal,
): Promise<ChatTurn | undefined> {
  const deleted = new AbortController();
  const ending = async () => {
    const end = await recordedEnd(em(), id);
    // Its events are deleted with it, so nothing else would end the wait.
    if (end === 'deleted') deleted.abort(chatNotFound());
    return typeof end === 'string' ? undefined : end;
  };
  const following = { ending, signal: AbortSignal.any([signal, deleted.signal]) };
  // Read to the end: the last event says that the row is final.
  for await (const _event of followRun(log, runStream({ conversationId: chatId, runId: id }), following));
  const turn = signal.aborted ? undefined : await em().findOne(ChatTurn, { id });
  deleted.signal.throwIfAborted();
  if (turn === null) throw chatNotFound();
  return turn && isOpen(turn.status) ? undefined : turn;
}
