import type { EntityManager } from '../../db/orm.ts';
import { DependencyDown, TooManyRequests } from '../../http/errors.ts';
import { Chat } from './entities.ts';
import { withRunning, type ChatPage } from './list.ts';

export interface ChatSearchPage {
  chats: (ChatPage['chats'][number] & { snippet: string })[];
  hasMore: boolean;
}

interface Hit {
  id: string;
  snippet: string;
}

/**
 * Words are found by their beginning, in any case; "quoted words" next to each other; -word excludes. The parser of
 * PostgreSQL reads the text, so nothing in it is an error; its lexemes become prefixes.
 */
const QUERY_SQL = `(select regexp_replace(websearch_to_tsquery('simple', ?)::text, '''( |\\)|$)', ''':*\\1', 'g')::tsquery)`;

const SEARCH_SQL = `
  with wanted as materialized (select ${QUERY_SQL} as q),
  hits as (
    select t.chat_id as id, max(t.number) as number
    from chat_turns t, wanted
    where t.team_id = ? and to_tsvector('simple', t.search_text) @@ wanted.q
    group by t.chat_id
    union all
    select c.id, null from chats c, wanted
    where c.team_id = ? and to_tsvector('simple', c.title) @@ wanted.q
  ),
  found as (
    select c.id, c.title, c.last_turn_at, max(hits.number) as number
    from hits join chats c on c.id = hits.id
    where c.team_id = ? and c.deleted_at is null
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

/** The team's chats in which these words were said, the latest first. @param page 1-based */
export async function searchChats(
  em: EntityManager,
  teamId: string,
  { words, page, count }: { words: string; page: number; count: number },
): Promise<ChatSearchPage> {
  const values = [words, teamId, teamId, teamId, count + 1, (page - 1) * count];
  const hits = await inItsBounds(em, (tx) => tx.execute<Hit[]>(SEARCH_SQL, values));
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

/** A search reads the texts of every turn that has its words: it may take long, and must not take the database. */
const LONGEST_SEARCH_MS = 2_000;
/** Of this process, which has twenty connections for everything. */
const MOST_SEARCHES = 2;
/** What PostgreSQL says when a statement took too long. */
const QUERY_CANCELED = '57014';

let searches = 0;

/** @throws {TooManyRequests} when others search, {@link DependencyDown} when it takes too long */
async function inItsBounds<T>(em: EntityManager, search: (tx: EntityManager) => Promise<T>): Promise<T> {
  if (searches >= MOST_SEARCHES) throw new TooManyRequests(1, 'Others are searching. Try again in a moment.', 'busy');
  searches += 1;
  try {
    return await em.fork().transactional(async (tx) => {
      await tx.execute(`set local statement_timeout = ${LONGEST_SEARCH_MS}`);
      return search(tx);
    });
  } catch (error) {
    if (!isCanceled(error)) throw error;
    throw new DependencyDown('The search took too long. Use words that fewer chats have.', 'search_too_broad');
  } finally {
    searches -= 1;
  }
}

function isCanceled(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === QUERY_CANCELED;
}
