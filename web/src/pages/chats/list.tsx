import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { MessageSquarePlus } from 'lucide-react';
import { useCallback } from 'react';
import type { Schema } from '../../api/client.ts';
import { may, sessionQuery, type Session } from '../../api/session.ts';
import { useListKeys } from '../../app/list-keys.ts';
import { SinceFilter } from '../../components/since-filter.tsx';
import { sinceIn, type Since } from '../../components/time-filter.ts';
import { Button } from '../../components/ui/button.tsx';
import { Pager } from '../../components/ui/pager.tsx';
import { PageHead } from '../../components/ui/panel.tsx';
import { SearchField } from '../../components/ui/search-field.tsx';
import { Empty, Failed, Loading } from '../../components/ui/states.tsx';
import { CHATS_PER_PAGE, chatSearchQuery, chatsQuery } from './queries.ts';
import { ChatRow } from './row.tsx';

export function ChatsPage() {
  const { q = '', filter, page = 1, ...search } = useSearch({ from: '/signed-in/chats' });
  const navigate = useNavigate({ from: '/chats' });
  const { data: session } = useQuery(sessionQuery);
  const mine = filter === 'mine';
  const isSearch = q !== '';
  const since = sinceIn(search.since);
  const listed = useQuery({ ...chatsQuery({ page, mine, since }), enabled: !isSearch });
  const found = useQuery({ ...chatSearchQuery({ q, page, since }), enabled: isSearch });
  const { data, error, refetch, isPlaceholderData } = isSearch ? found : listed;
  const list = useListKeys<HTMLUListElement>();
  // A new filter starts at its first page.
  const go = useCallback(
    (change: { q?: string | undefined; filter?: string | undefined; since?: Since | undefined; page?: number }): void =>
      void navigate({
        search: (now) => ({ ...now, page: undefined, ...change }),
        replace: true,
        resetScroll: false,
      }),
    [navigate],
  );
  const onSearch = useCallback((words: string) => go({ q: words || undefined }), [go]);

  return (
    <>
      <title>Chats · Casebook</title>
      <PageHead
        title="Chats"
        description="Questions your team asked, and the answers."
        actions={
          may(session, 'chats:write') && (
            <Button variant="primary" asChild>
              <Link to="/chat">
                <MessageSquarePlus aria-hidden size={16} /> New chat
              </Link>
            </Button>
          )
        }
      />
      <div className="flex flex-wrap items-end gap-3 pb-3">
        <SearchField label="Search chats" value={q} onSearch={onSearch} />
        {session?.user != null && !isSearch && (
          <label className="flex min-h-9 items-center gap-2 text-sm">
            <input
              type="checkbox"
              checked={mine}
              onChange={({ target }) => go({ filter: target.checked ? 'mine' : undefined })}
              className="size-4 accent-accent"
            />
            Only mine
          </label>
        )}
        <SinceFilter label="Last message" value={since} onFilter={(to) => go({ since: to })} className="max-w-44" />
      </div>
      {error !== null && <Failed error={error} onRetry={() => void refetch()} />}
      {data === undefined ? (
        error === null && <Loading lines={8} />
      ) : data.chats.length === 0 ? (
        <Nothing isSearch={isSearch} mine={mine} isRecent={since !== undefined} page={page} />
      ) : (
        <ul
          ref={list}
          aria-label="Chats"
          aria-busy={isPlaceholderData}
          className={`divide-y overflow-hidden rounded-lg border bg-surface ${isPlaceholderData ? 'opacity-60' : ''}`}
        >
          {data.chats.map((chat) => (
            <ChatRow
              key={chat.id}
              chat={chat}
              search={q}
              mayRename={mayChange(session, chat.monitoring)}
              mayDelete={mayChange(session, chat.monitoring) && !chat.monitoring}
            />
          ))}
        </ul>
      )}
      {data !== undefined && (
        <Pager
          page={page}
          hasMore={data.has_more}
          {...('total' in data && { summary: summaryOf(data) })}
          onPage={(wanted) => go({ page: wanted })}
        />
      )}
    </>
  );
}

const mayChange = (session: Session | null | undefined, isMonitoring: boolean): boolean =>
  may(session, 'chats:write') && (!isMonitoring || may(session, 'monitoring:write'));

function summaryOf({ chats, page, total, total_is_exact: isExact }: Schema<'ChatListResponse'>): string {
  const first = (page - 1) * CHATS_PER_PAGE + 1;
  return `${first}–${first + chats.length - 1} of ${isExact ? '' : 'more than '}${total.toLocaleString('en')}`;
}

function Nothing({
  isSearch,
  mine,
  isRecent,
  page,
}: Record<'isSearch' | 'mine' | 'isRecent', boolean> & { page: number }) {
  if (page > 1) {
    return (
      <Empty title="This page is empty">
        <Link to="/chats" search={(search) => ({ ...search, page: undefined })} className="text-accent underline">
          Go to the first page
        </Link>
      </Empty>
    );
  }
  if (isSearch) {
    return <Empty title="No matching chats">Words match by prefix; “quotes” match a phrase; -word excludes.</Empty>;
  }
  if (isRecent) return <Empty title="No chats in this time" />;
  return (
    <Empty title={mine ? 'You have no chats yet' : 'No chats yet'}>
      <Link to="/chat" className="text-accent underline underline-offset-2">
        Ask Casebook about your systems
      </Link>
    </Empty>
  );
}
