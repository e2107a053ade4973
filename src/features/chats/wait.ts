import type { EntityManager } from '../../db/orm.ts';
import type { EventLog } from '../../platform/event-log/port.ts';
import { followRun, runStream } from '../runs/index.ts';
import { ChatTurn } from './entities.ts';
import { modelTurnsOf } from './model-turns.ts';
import { turnEndEvent } from './stream/end.ts';
import { usageOf } from './usage.ts';

/**
 * Waits for the end of a turn.
 * @param em a fresh entity manager of the turn's team
 * @param signal ends the waiting, not the turn
 * @returns the ended turn, or undefined when the signal fired first
 */
export async function untilTurnEnded(
  log: EventLog,
  { id, chatId }: Pick<ChatTurn, 'id' | 'chatId'>,
  em: () => EntityManager,
  signal: AbortSignal,
): Promise<ChatTurn | undefined> {
  const ended = async (): Promise<ChatTurn | undefined> => {
    const row = await em().findOneOrFail(ChatTurn, { id });
    return row.status === 'processing' ? undefined : row;
  };
  const ending = async () => {
    const row = await ended();
    return row && turnEndEvent(row, usageOf(await modelTurnsOf(em(), row)));
  };
  // To its end: the last event says that the row is final.
  for await (const _event of followRun(log, runStream({ conversationId: chatId, runId: id }), { ending, signal }));
  return signal.aborted ? undefined : ended();
}
