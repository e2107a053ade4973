import './without-eval.ts';
import { useInfiniteQuery, useQuery, useQueryClient } from '@tanstack/react-query';
import { Link, useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { Radar } from 'lucide-react';
import { useCallback, useEffect, useMemo } from 'react';
import { may, sessionQuery } from '../../api/session.ts';
import { PageFailed } from '../../app/fallbacks.tsx';
import { Button } from '../../components/ui/button.tsx';
import { Failed, Loading } from '../../components/ui/states.tsx';
import { investigationQuery } from '../investigation/queries.ts';
import { ChatView } from './chat-view.tsx';
import { isStored } from './conversation.ts';
import { keepDraft, readDraft } from '../../app/draft.ts';
import { ChatHead } from './head.tsx';
import { handOver, useLiveChat, useLiveState } from './live-chats.ts';
import type { OpenEvidence } from './open-evidence.ts';
import { chatQuery, pulseQuery } from './queries.ts';
import { Welcome } from './welcome.tsx';

const NO_SCOPE = 'You have read-only access to chats.';

export function NewChatPage() {
  const { about, text } = useSearch({ from: '/signed-in/chat' });
  // Another subject, or another first message, is another chat.
  return <NewChat key={`${about} ${text}`} about={about} text={text} />;
}

function NewChat({ about, text }: { about: string | undefined; text: string | undefined }) {
  const live = useLiveChat(undefined);
  const navigate = useNavigate();
  const { data: session } = useQuery(sessionQuery);
  const draftKey = about === undefined ? 'new' : `new.${about}`;
  useEffect(
    () =>
      live.whenNamed((chatId) => {
        handOver(chatId, live);
        // Carry over what was typed meanwhile.
        keepDraft(chatId, readDraft(draftKey));
        keepDraft(draftKey, '');
        void navigate({ to: '/chat/$chatId', params: { chatId }, replace: true, resetScroll: false });
      }),
    [live, navigate, draftKey],
  );
  const ignore = useCallback(() => undefined, []);
  return (
    <>
      <title>New chat · Casebook</title>
      <ChatView
        live={live}
        stored={NOTHING}
        isReady
        isRunning={false}
        isMonitoring={false}
        draftKey={draftKey}
        firstDraft={text}
        investigationId={about}
        sideEffects={may(session, 'chats:act') ? false : undefined}
        disabledBecause={may(session, 'chats:write') ? undefined : NO_SCOPE}
        head={
          <header className="mb-2 border-b pb-3">
            <h1 className="text-xl font-semibold tracking-tight">New chat</h1>
            {about !== undefined && <About investigationId={about} />}
          </header>
        }
        welcome={<Welcome isAbout={about !== undefined} />}
        opened={undefined}
        onOpened={ignore}
      />
    </>
  );
}

const NOTHING: never[] = [];

/** The investigation that a new chat will be about. */
function About({ investigationId }: { investigationId: string }) {
  const { data, error } = useQuery(investigationQuery(investigationId));
  if (error !== null) return <Failed error={error} />;
  const title = data?.alert_summary ?? data?.query;
  return (
    <Link
      to="/investigation/$investigationId"
      params={{ investigationId }}
      className="mt-1 inline-flex max-w-full items-center gap-1.5 text-sm text-accent underline underline-offset-2"
    >
      <Radar aria-hidden size={14} className="shrink-0" />
      <span className="line-clamp-2 wrap-anywhere" title={title}>
        About the investigation: {title ?? '…'}
      </span>
    </Link>
  );
}

export function ChatPage() {
  const { chatId } = useParams({ from: '/signed-in/chat/$chatId' });
  return <StoredChat key={chatId} chatId={chatId} />;
}

function StoredChat({ chatId }: { chatId: string }) {
  const live = useLiveChat(chatId);
  const { phase, ended } = useLiveState(live);
  const queryClient = useQueryClient();
  const navigate = useNavigate();
  const { data: session } = useQuery(sessionQuery);
  const messages = useInfiniteQuery(chatQuery(chatId));
  const pulse = useQuery({ ...pulseQuery(chatId), ...(phase !== 'idle' && { refetchInterval: false }) });
  const { call, answer } = useSearch({ from: '/signed-in/chat/$chatId' });
  const stored = useMemo(
    () => messages.data?.pages.toReversed().flatMap((page) => page.messages) ?? [],
    [messages.data],
  );
  const chat = pulse.data ?? messages.data?.pages[0];

  // Follow a turn that was started elsewhere.
  const running = chat?.run?.turn_id;
  useEffect(() => {
    if (running !== undefined && phase === 'idle') void live.followTurn(running);
  }, [running, live, phase]);

  useEffect(() => {
    if (ended === 0) return;
    void queryClient.invalidateQueries({ queryKey: ['chat', chatId] });
    void queryClient.invalidateQueries({ queryKey: ['chats'] });
  }, [ended, chatId, queryClient]);

  useEffect(() => {
    if (phase === 'idle' && isStored(stored, live.chat.messages)) live.settle();
  }, [phase, stored, live]);

  const newest = newestOf(pulse.data?.messages);
  const shown = newestOf(messages.data?.pages[0]?.messages);
  const { refetch } = messages;
  useEffect(() => {
    if (newest !== undefined && shown !== undefined && newest !== shown && phase === 'idle') void refetch();
  }, [newest, shown, phase, refetch]);

  const onOpened = useCallback(
    (opened: OpenEvidence | undefined) =>
      void navigate({
        to: '/chat/$chatId',
        params: { chatId },
        search: { ...opened },
        replace: true,
        resetScroll: false,
      }),
    [navigate, chatId],
  );

  if (messages.data === undefined && live.chat.messages.length === 0) {
    return (
      <div className="mx-auto max-w-3xl">
        {messages.error === null ? (
          <>
            <title>Chat · Casebook</title>
            <Loading lines={8} />
          </>
        ) : (
          <PageFailed
            title="Chat"
            what="chats"
            scope="chats:read"
            error={messages.error}
            onRetry={() => void messages.refetch()}
          />
        )}
      </div>
    );
  }
  const isMonitoring = chat?.monitoring === true;
  const mayWrite = may(session, 'chats:write') && (!isMonitoring || may(session, 'monitoring:write'));
  const mayAct = may(session, 'chats:act') && !isMonitoring && chat !== undefined;
  return (
    <>
      <title>{`${chat?.title ?? 'Chat'} · Casebook`}</title>
      <ChatView
        live={live}
        stored={stored}
        isReady={messages.data !== undefined}
        isRunning={running !== undefined}
        isMonitoring={isMonitoring}
        draftKey={chatId}
        sideEffects={mayAct ? chat.side_effects_allowed : undefined}
        disabledBecause={mayWrite ? undefined : isMonitoring ? 'You have read-only access to agents.' : NO_SCOPE}
        head={
          <ChatHead
            chat={chat ?? { id: chatId, title: 'New chat', monitoring: false, investigation_id: null }}
            mayRename={mayWrite}
            mayDelete={mayWrite && !isMonitoring}
            workflowId={stored.at(-1)?.turn?.workflow_id}
          />
        }
        earlier={
          messages.hasNextPage && (
            <div className="flex justify-center pb-4">
              <Button size="small" disabled={messages.isFetchingNextPage} onClick={() => void messages.fetchNextPage()}>
                {messages.isFetchingNextPage ? 'Loading…' : 'Show earlier messages'}
              </Button>
            </div>
          )
        }
        opened={call === undefined ? undefined : { call, ...(answer !== undefined && { answer }) }}
        onOpened={onOpened}
      />
    </>
  );
}

/** The newest turn and its status. */
function newestOf(
  messages: readonly { turn: { id: string; status: string } | null }[] | undefined,
): string | undefined {
  const turn = messages?.at(-1)?.turn;
  return turn ? `${turn.id} ${turn.status}` : undefined;
}
