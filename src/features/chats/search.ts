import type { EntityManager } from '../../db/orm.ts';
import { WORD_QUERY_SQL } from '../../db/text-search.ts';
import { boundedSearch } from '../../http/bounded-search.ts';
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

const SEARCH_SQL = `
  with wanted as materialized (select ${WORD_QUERY_SQL} as q),
  hits as (
    select t.chat_id as id, max(t.number) as number
    from chat_turns t join runs r on r.id = t.id, wanted
    where r.team_id = ? and to_tsvector('simple', t.search_text) @@ wanted.q
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

/** The team's chats that contain these words, latest first. @param page 1-based */
export async function searchChats(
  em: EntityManager,
  teamId: string,
  { words, page, count }: { words: string; page: number; count: number },
): Promise<ChatSearchPage> {
  const values = [words, teamId, teamId, teamId, count + 1, (page - 1) * count];
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
