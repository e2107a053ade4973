/** A chat: its messages, and the field for the next one. */
import { randomId } from '../../app/random-id.ts';
import { useChat } from '@ai-sdk/react';
import { useQueryClient } from '@tanstack/react-query';
import { ArrowDown } from 'lucide-react';
import { useCallback, useDeferredValue, useEffect, useMemo, useState, type ReactNode } from 'react';
import { api, ApiError } from '../../api/client.ts';
import { sessionQuery } from '../../api/session.ts';
import { EvidencePanel } from '../../components/evidence/evidence-panel.tsx';
import { Button } from '../../components/ui/button.tsx';
import { Failed } from '../../components/ui/states.tsx';
import { useToaster } from '../../components/ui/toast.tsx';
import { AllowChanges } from './allow-changes.tsx';
import { Composer } from './composer.tsx';
import { conversation, type Shown } from './conversation.ts';
import { useDraft } from '../../app/draft.ts';
import { besides, evidenceIn, type OpenEvidence } from './open-evidence.ts';
import type { LiveChat } from './live-chat.ts';
import { useLiveState } from './live-chats.ts';
import { Message } from './message.tsx';
import { piecesOf, type StoredMessage } from './parts.ts';
import { useStick } from './stick.ts';
import type { Asked } from './asked.ts';

const NOTHING: readonly Shown[] = [];

/** Re-render at most this often while an answer streams. */
const THROTTLE_MS = 60;

export interface ChatViewProps {
  live: LiveChat;
  /** Oldest first. */
  stored: readonly StoredMessage[];
  /** The stored messages are loaded, or there are none. */
  isReady: boolean;
  /** The key under which a draft is kept. */
  draftKey: string;
  firstDraft?: string | undefined;
  /** Metadata of the next message. */
  investigationId?: string | undefined;
  /** What the chat currently allows; undefined if it cannot be changed. */
  sideEffects?: boolean | undefined;
  disabledBecause?: string | undefined;
  /** A turn is running, according to the API. */
  isRunning: boolean;
  /** The chat belongs to a monitoring agent. */
  isMonitoring: boolean;
  /** Shown above the messages. */
  head: ReactNode;
  earlier?: ReactNode;
  /** Shown while there are no messages. */
  welcome?: ReactNode;
  /** What is open next to the chat. */
  opened: OpenEvidence | undefined;
  onOpened: (opened: OpenEvidence | undefined) => void;
}

export function ChatView(props: ChatViewProps) {
  const { live, stored, isReady, draftKey, firstDraft, investigationId, disabledBecause, opened, onOpened } = props;
  const { messages } = useChat({ chat: live.chat, throttle: THROTTLE_MS });
  const { phase, isStopping, refused, broken } = useLiveState(live);
  const [draft, setDraft] = useDraft(draftKey, firstDraft);
  const [chosen, setChosen] = useState<boolean>();
  const maySideEffect = props.sideEffects === undefined ? undefined : (chosen ?? props.sideEffects);
  const toaster = useToaster();
  const current = useMemo(() => conversation(stored, messages), [stored, messages]);
  // Long answers render in slices, so that typing and scrolling never wait.
  const shown = useDeferredValue(current, NOTHING);
  const { content, isAway, toEnd } = useStick<HTMLDivElement>(isReady);
  const isBusy = phase !== 'idle' || props.isRunning;

  const say = useCallback(
    (asked: Omit<Asked, 'key'>, refusedKey?: string) => {
      toEnd();
      void live.send({ ...asked, key: refusedKey ?? randomId() });
    },
    [live, toEnd],
  );
  const onSend = (text: string): void => {
    setDraft('');
    const again = refused?.asked.text === text ? refused.asked.key : undefined;
    const choices = {
      ...(maySideEffect !== undefined && { maySideEffect }),
      ...(investigationId !== undefined && { investigationId }),
      ...(props.isMonitoring && { isMonitoring: true }),
    };
    say({ text, ...choices }, again);
  };
  const onChart = useCallback(
    (toolId: string | null) =>
      say({
        text: toolId === null ? 'Draw a chart of the evidence for this answer.' : 'Draw a chart of this tool result.',
        chartOf: toolId,
      }),
    [say],
  );

  // A refused message returns to the field, in front of what was typed since.
  useEffect(() => {
    if (refused === undefined || refused.asked.chartOf !== undefined) return;
    setDraft([refused.asked.text, draft].filter((text) => text !== '').join('\n\n'));
    // oxlint-disable-next-line react-hooks/exhaustive-deps -- once for each that is refused
  }, [refused]);

  // Refetch a session that has ended or was replaced in another tab.
  const queryClient = useQueryClient();
  useEffect(() => {
    if (!(refused?.error instanceof ApiError)) return;
    if (refused.error.status === 401) void api.GET('/api/chat', { params: { query: { count: 1 } } });
    if (refused.error.code === 'csrf') void queryClient.invalidateQueries({ queryKey: sessionQuery.queryKey });
  }, [refused, queryClient]);

  const onEvidence = useCallback((answer: string, call: string) => onOpened({ answer, call }), [onOpened]);
  const stop = (): void => void live.stop().catch(toaster.fail);
  const mayChart = !isBusy && disabledBecause === undefined && live.chatId !== undefined && !props.isMonitoring;
  const lastAnswer = shown.findLast(({ role }) => role === 'assistant');

  return (
    <div className="mx-auto flex min-h-[calc(100dvh-5.4rem)] max-w-3xl flex-col md:min-h-[calc(100dvh-6.4rem)]">
      {props.head}
      <div ref={content} className="flex flex-1 flex-col">
        {props.earlier}
        {current.length === 0 && isReady && phase === 'idle' && props.welcome}
        <div role="log" aria-label="Conversation" aria-live="off" className="flex flex-col gap-4 pb-6">
          {shown.map((message) => (
            <Message
              key={message.id}
              message={message}
              chatId={live.chatId}
              onEvidence={onEvidence}
              {...(mayChart && { onChart })}
              isLast={message.id === lastAnswer?.id}
            />
          ))}
          {phase === 'sending' && <p className="text-sm text-ink-soft">Sending…</p>}
        </div>
        <p role="status" className="sr-only">
          {announced(current, isBusy)}
        </p>
      </div>
      <div className="sticky bottom-0 z-10 -mx-4 -mb-4 bg-ground px-4 pt-1 pb-3 md:-mx-2 md:px-2 md:pb-4">
        {isAway && (
          <div className="pointer-events-none absolute inset-x-0 -top-10 flex justify-center">
            <Button size="small" className="pointer-events-auto shadow-pop" onClick={toEnd}>
              <ArrowDown aria-hidden size={16} /> Jump to latest
            </Button>
          </div>
        )}
        {phase === 'reconnecting' && (
          <p role="status" className="pb-2 text-sm text-warn">
            Connection lost. The answer continues; reconnecting…
          </p>
        )}
        {refused !== undefined && (
          <div className="pb-2">
            <Failed error={refused.error} />
          </div>
        )}
        {broken !== undefined && (
          <div className="pb-2">
            <Failed error={broken} onRetry={() => void live.follow()} />
          </div>
        )}
        <Composer
          text={draft}
          onText={setDraft}
          onSend={onSend}
          isRunning={isBusy}
          isStopping={isStopping}
          onStop={stop}
          disabledBecause={disabledBecause}
          placeholder={current.length === 0 ? 'Ask about your systems' : 'Ask a follow-up'}
        >
          {maySideEffect !== undefined && <AllowChanges isAllowed={maySideEffect} onChange={setChosen} />}
        </Composer>
      </div>
      <EvidencePanel
        evidence={opened && isReady ? evidenceIn(current, opened) : undefined}
        onClose={() => onOpened(undefined)}
        before={opened && besides(current, opened, -1)}
        after={opened && besides(current, opened, 1)}
        turnTo={onOpened}
      />
    </div>
  );
}

/** Announced once by screen readers; the answer itself is read on demand. */
function announced(shown: readonly Shown[], isBusy: boolean): string {
  const last = shown.at(-1);
  const isWaiting = isBusy && piecesOf(last?.parts ?? []).some(({ kind }) => kind === 'approval');
  if (isBusy) return isWaiting ? 'Casebook is waiting for approval.' : 'Casebook is answering.';
  if (last?.role !== 'assistant') return '';
  if (last.turn?.status === 'failed') return 'The answer failed.';
  return last.turn?.status === 'cancelled' ? 'The answer was cancelled.' : 'The answer is complete.';
}
