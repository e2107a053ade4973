import type { EntityManager } from '../../db/orm.ts';
import { OPEN, Run } from '../runs/index.ts';
import { Chat } from './entities.ts';
import type { Principal } from '../../http/authenticate.ts';

/** Nobody turns this many pages, however many chats a team has. */
const MAX_COUNTED = 1_000;

export interface ChatPage {
  chats: { chat: Chat; running: boolean }[];
  /** Counted up to 1,000. */
  total: number;
  totalIsExact: boolean;
  hasMore: boolean;
}

/** Chats, latest turn first. @param page 1-based @param of only chats started by this caller */
export async function listChats(
  em: EntityManager,
  teamId: string,
  { page, count, of }: { page: number; count: number; of?: Principal },
): Promise<ChatPage> {
  const where = of ? begunBy(of) : {};
  const [found, total] = await Promise.all([
    em.find(Chat, where, {
      orderBy: { lastTurnAt: 'desc', id: 'desc' },
      limit: count + 1,
      offset: (page - 1) * count,
    }),
    countChats(em, teamId, of),
  ]);
  const chats = found.slice(0, count);
  return {
    chats: await withRunning(em, chats),
    total: Math.min(total, MAX_COUNTED),
    totalIsExact: total <= MAX_COUNTED,
    hasMore: found.length > count,
  };
}

/** A key that acts for a user lists what the user started with any key; a program's key lists its own. */
function begunBy({ credentialId, userId }: Principal) {
  return userId === undefined ? { createdByCredentialId: credentialId } : { createdByUserId: userId };
}

async function countChats(em: EntityManager, teamId: string, of: Principal | undefined): Promise<number> {
  const mine = of
    ? of.userId === undefined
      ? ' and created_by_credential_id = ?'
      : ' and created_by_user_id = ?'
    : '';
  const [row] = await em.fork().execute<{ n: number }[]>(
    `select count(*)::int as n from
       (select 1 from chats where team_id = ? and deleted_at is null${mine} limit ${MAX_COUNTED + 1}) as counted`,
    [teamId, ...(of ? [of.userId ?? of.credentialId] : [])],
  );
  return row?.n ?? 0;
}

/** Which of the chats have a running turn. */
export async function withRunning(em: EntityManager, chats: Chat[]): Promise<ChatPage['chats']> {
  if (chats.length === 0) return [];
  const conversationId = { $in: chats.map(({ id }) => id) };
  const runs = await em.fork().find(Run, { conversationId, status: { $in: OPEN } }, { fields: ['conversationId'] });
  const running = new Set(runs.map((run) => run.conversationId));
  return chats.map((chat) => ({ chat, running: running.has(chat.id) }));
}
