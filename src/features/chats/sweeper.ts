import { anyTeam, forTeam } from '../../db/team-filter.ts';
import { OPEN, Run, sweepRuns, type SweepOptions } from '../runs/index.ts';
import type { ChatControlDeps } from './control.ts';
import { purgeChat } from './delete.ts';
import { Chat } from './entities.ts';
import { chatRuns } from './kind.ts';

const PURGED_AT_ONCE = 100;

/** Sweeps the turns and deleted chats of all teams once. @returns how many rows it acted on */
export async function sweepChats(deps: ChatControlDeps, options?: SweepOptions): Promise<number> {
  const repaired = await sweepRuns(deps, chatRuns, options);
  // What a crash between mark and deletion left behind.
  const deleted = await deps.orm.em
    .fork()
    .find(
      Chat,
      { deletedAt: { $ne: null } },
      { filters: { team: false, present: false }, limit: PURGED_AT_ONCE, orderBy: { deletedAt: 'asc' } },
    );
  for (const chat of deleted) {
    const { id, teamId } = chat;
    const running = await deps.orm.em.fork().count(Run, { conversationId: id, status: { $in: OPEN } }, anyTeam);
    if (running > 0) continue;
    await purgeChat(deps, forTeam(deps.orm.em, teamId), chat).catch((error: unknown) =>
      // Do not hold up the others; the next sweep retries it.
      deps.log.warn({ err: error, chatId: id }, 'a deleted chat could not be purged'),
    );
  }
  return repaired + deleted.length;
}
