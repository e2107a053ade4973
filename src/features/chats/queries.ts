import type { EntityManager } from '../../db/orm.ts';
import type { Principal } from '../../http/authenticate.ts';
import { WORD_QUERY_SQL } from '../../db/text-search.ts';
import { boundedSearch } from '../../http/bounded-search.ts';
import { OPEN, Run, isOpen, type RunProgress } from '../runs/index.ts';
import { Message, ModelTurn, SAID_ORDER, ToolCall } from '../transcripts/index.ts';
import { Chat, ChatTurn } from './entities.ts';
import { findChat } from './service.ts';

/** Nobody pages this far, however many chats a team has. */
const MAX_COUNTED = 1_000;

export interface ChatPage {
  chats: { chat: Chat; running: boolean }[];
  /** Counted up to 1,000. */
  total: number;
  totalIsExact: boolean;
  hasMore: boolean;
}

/**
 * Chats, latest turn first.
 * @param page 1-based
 * @param of only chats started by this caller
 * @param from ISO time; only chats with a turn at or after it
 */
export async function listChats(
  em: EntityManager,
  teamId: string,
  { page, count, of, from }: { page: number; count: number; of?: Principal | undefined; from?: string | undefined },
): Promise<ChatPage> {
  const where = { ...(of && begunBy(of)), ...(from !== undefined && { lastTurnAt: { $gte: new Date(from) } }) };
  const [found, total] = await Promise.all([
    em.find(Chat, where, {
      orderBy: { lastTurnAt: 'desc', id: 'desc' },
      limit: count + 1,
      offset: (page - 1) * count,
    }),
    countChats(em, teamId, { of, from }),
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

async function countChats(
  em: EntityManager,
  teamId: string,
  { of, from }: { of: Principal | undefined; from: string | undefined },
): Promise<number> {
  const mine = of && (of.userId === undefined ? 'created_by_credential_id' : 'created_by_user_id');
  const only = `${mine === undefined ? '' : ` and ${mine} = ?`}${from === undefined ? '' : ' and last_turn_at >= ?'}`;
  const [row] = await em.fork().execute<{ n: number }[]>(
    `select count(*)::int as n from
       (select 1 from chats where team_id = ? and deleted_at is null${only} limit ${MAX_COUNTED + 1}) as counted`,
    [teamId, ...(of ? [of.userId ?? of.credentialId] : []), ...(from === undefined ? [] : [new Date(from)])],
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

interface ChatSearchPage {
  chats: (ChatPage['chats'][number] & { snippet: string })[];
  hasMore: boolean;
}

interface Hit {
  id: string;
  snippet: string;
}

/** Turns of other teams are dropped by the join with the team's chats, once a chat and not once a turn. */
const SEARCH_SQL = `
  with wanted as materialized (select ${WORD_QUERY_SQL} as q),
  hits as (
    select t.chat_id as id, max(t.number) as number
    from chat_turns t, wanted
    where to_tsvector('simple', t.search_text) @@ wanted.q
    group by t.chat_id
    union all
    select c.id, null from chats c, wanted
    where c.team_id = ? and to_tsvector('simple', c.title) @@ wanted.q
  ),
  found as (
    select c.id, c.title, c.last_turn_at, max(hits.number) as number
    from hits join chats c on c.id = hits.id
    where c.team_id = ? and c.deleted_at is null and (?::timestamptz is null or c.last_turn_at >= ?)
    group by c.id
    order by c.last_turn_at desc, c.id desc
    limit ? offset ?
  )
  select found.id,
    ts_headline('simple', coalesce(left(t.search_text, 20000), found.title), wanted.q,
      'StartSel="", StopSel="", MaxFragments=1, MaxWords=30, MinWords=12') as snippet
  from found cross join wanted
  left join chat_turns t on t.chat_id = found.id and t.number = found.number
  order by found.last_turn_at desc, found.id desc`;

/** The team's chats that contain these words, latest first. @param page 1-based @param from as of {@link listChats} */
export async function searchChats(
  em: EntityManager,
  teamId: string,
  { words, page, count, from }: { words: string; page: number; count: number; from?: string | undefined },
): Promise<ChatSearchPage> {
  const since = from === undefined ? null : new Date(from);
  const values = [words, teamId, teamId, since, since, count + 1, (page - 1) * count];
  const hits = await boundedSearch(em, teamId, 'chats', (tx) => tx.execute<Hit[]>(SEARCH_SQL, values));
  const shown = hits.slice(0, count);
  const rows = await em.find(Chat, { id: { $in: shown.map(({ id }) => id) } });
  const chats = await withRunning(em, rows);
  return {
    chats: shown.flatMap(({ id, snippet }) => {
      const entry = chats.find(({ chat }) => chat.id === id);
      return entry ? [{ ...entry, snippet }] : [];
    }),
    hasMore: hits.length > count,
  };
}

/** A page of a chat: some of its turns, complete except for whole tool results. */
export interface ChatRows {
  chat: Chat;
  /** Ascending by number. */
  turns: ChatTurn[];
  messages: Message[];
  modelTurns: ModelTurn[];
  toolCalls: ToolCall[];
  /** There are earlier turns. */
  hasEarlier: boolean;
  /** The running turn, on this page or not. */
  running?: ChatTurn;
  /** Progress of the running turn, if a worker answered. */
  progress?: RunProgress;
}

/**
 * The newest turns of a chat, or those before one.
 * @throws {NotFound} if the team has no such chat
 */
export async function loadChat(
  em: EntityManager,
  chatId: string,
  { before, most }: { before?: number; most: number },
): Promise<ChatRows> {
  const chat = await findChat(em, chatId);
  const newest = await em.find(
    ChatTurn,
    { chatId: chat.id, ...(before !== undefined && { number: { $lt: before } }) },
    { orderBy: { number: 'desc' }, limit: most + 1 },
  );
  const turns = newest.slice(0, most).toReversed();
  // Only the newest turn can be running, and without `before` it is on this page.
  const running =
    before === undefined
      ? turns.findLast(({ status }) => isOpen(status))
      : ((await em.findOne(ChatTurn, { chatId: chat.id, status: { $in: OPEN } })) ?? undefined);
  const [first, last] = [turns[0], turns.at(-1)];
  if (!first || !last) return { chat, turns, messages: [], modelTurns: [], toolCalls: [], hasEarlier: false, running };
  const step = { $gte: first.firstStep, ...(last.lastStep !== null && { $lte: last.lastStep }) };
  const within = { conversationId: chat.id, step };
  const delivered = { $gte: first.firstStep, $lte: last.firstStep };
  const [messages, modelTurns, toolCalls] = await Promise.all([
    em.find(Message, { conversationId: chat.id, deliveredStep: delivered }, { orderBy: SAID_ORDER }),
    em.find(ModelTurn, within, { orderBy: { step: 'asc' } }),
    em.find(ToolCall, within, { orderBy: { evidence: 'asc' } }),
  ]);
  return { chat, turns, messages, modelTurns, toolCalls, hasEarlier: newest.length > most, running };
}
