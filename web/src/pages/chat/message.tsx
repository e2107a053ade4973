import { ChartLine, CircleAlert, CircleStop, TriangleAlert } from 'lucide-react';
import { memo, useDeferredValue, useMemo, type ReactNode } from 'react';
import { SuggestedByCall } from '../../components/pull-request/index.tsx';
import { Button } from '../../components/ui/button.tsx';
import { CopyButton } from '../../components/ui/copy-button.tsx';
import { dollars } from '../../components/ui/numbers.ts';
import { Elapsed, Time, duration } from '../../components/ui/time.tsx';
import { Approval } from './approval.tsx';
import type { Shown } from './conversation.ts';
import { limitWords } from '../../components/ui/limit-words.ts';
import {
  chartTitle,
  citationLabels,
  citationsOf,
  isTool,
  piecesOf,
  textOf,
  type Piece,
  type ToolPart,
  type Turn,
} from './parts.ts';
import { Prose } from './prose.tsx';
import { Reasoning } from './reasoning.tsx';
import { ChangedFiles, Chart } from './results.tsx';
import { ScrollBox } from '../../components/ui/scroll-box.tsx';
import { ToolCalls } from './tool-call.tsx';

export interface MessageProps {
  message: Shown;
  /** Undefined while a new chat has none. */
  chatId: string | undefined;
  /** Opens the evidence behind a number in an answer, or a result. */
  onEvidence: (messageId: string, toolId: string) => void;
  /** Asks for a chart of a result or, with null, of the answer; absent while no message can be sent. */
  onChart?: ((toolId: string | null) => void) | undefined;
  /** The newest answer. */
  isLast: boolean;
}

const isSame = (one: MessageProps, other: MessageProps): boolean =>
  one.message.id === other.message.id &&
  one.message.parts === other.message.parts &&
  one.message.turn === other.message.turn &&
  one.message.isLive === other.message.isLive &&
  one.message.limit === other.message.limit &&
  one.onEvidence === other.onEvidence &&
  one.onChart === other.onChart &&
  one.isLast === other.isLast &&
  one.chatId === other.chatId;

/** One message; re-rendered only when it changes. */
export const Message = memo(function Message(props: MessageProps) {
  return props.message.role === 'user' ? <Question message={props.message} /> : <Answer {...props} />;
}, isSame);

function Question({ message: { id, parts, createdAt } }: { message: Shown }) {
  return (
    <article aria-labelledby={`m-${id}`} className="flex flex-col items-end gap-1 pt-3">
      <h2 id={`m-${id}`} className="sr-only">
        You asked
      </h2>
      <ScrollBox
        label="Question"
        className="max-h-96 max-w-[min(40rem,92%)] rounded-2xl rounded-br-md bg-accent-soft px-4 py-2.5 break-words whitespace-pre-wrap"
      >
        {textOf(parts)}
      </ScrollBox>
      {createdAt !== undefined && (
        <p className="pr-1 text-xs text-ink-soft">
          <Time at={createdAt} />
        </p>
      )}
    </article>
  );
}

function Answer({ message, chatId, onEvidence, onChart, isLast }: MessageProps) {
  const { id, parts, turn, isLive, limit } = message;
  const labels = useMemo(() => citationLabels(parts, turn), [parts, turn]);
  // They arrive at the end of an answer and re-render all of it, so render in slices.
  const citations = useDeferredValue(labels);
  const isOver = !isLive && turn?.status !== 'processing';
  const drawable = new Set(turn?.tool_calls.flatMap((call) => (call.has_series ? [call.id] : [])));
  const pieces = piecesOf(parts);
  const onCitation = (n: number): void => {
    const citation = citationsOf(parts, turn).find((known) => known.n === n);
    if (citation !== undefined) onEvidence(id, citation.toolId);
  };
  const draw = (piece: Piece, index: number): ReactNode => {
    if (piece.kind === 'tools') {
      return (
        <ToolCalls
          calls={piece.calls}
          drawable={drawable}
          isOver={isOver}
          onOpen={(toolId) => onEvidence(id, toolId)}
          {...(onChart && { onChart })}
        />
      );
    }
    if (piece.kind === 'suggestion')
      return chatId === undefined ? null : (
        <section aria-label="Suggested pull request" className="rounded-lg border bg-surface p-4">
          <SuggestedByCall origin={{ chat_id: chatId }} toolId={piece.toolId} />
        </section>
      );
    if (piece.kind === 'approval') return isOver ? null : <Approval id={piece.id} />;
    if (piece.kind === 'chart') {
      const title = titleOf(parts, piece.toolId);
      return <Chart toolId={piece.toolId} title={title} onOpen={(toolId) => onEvidence(id, toolId)} />;
    }
    if (piece.kind === 'changes') return <ChangedFiles changes={piece.changes} />;
    const { type, text } = piece.part;
    return type === 'text' ? (
      <Prose text={text} citations={citations} onCitation={onCitation} headingOffset={1} />
    ) : (
      <Reasoning text={text} isGoingOn={!isOver && index === pieces.length - 1} />
    );
  };
  return (
    <article aria-labelledby={`m-${id}`} aria-busy={!isOver} className="flex flex-col gap-3">
      <h2 id={`m-${id}`} className="sr-only">
        Casebook answered
      </h2>
      {pieces.map((piece, index) => (
        <div key={piece.key}>{draw(piece, index)}</div>
      ))}
      {isOver ? (
        <>
          <Outcome turn={turn} limit={limit} />
          <Foot message={message} canDraw={isLast && drawable.size > 0} {...(onChart && { onChart })} />
        </>
      ) : (
        <p className="flex items-center gap-2 text-sm text-ink-soft">
          <span aria-hidden className="size-2 animate-pulse rounded-full bg-accent" />
          {pieces.some(({ kind }) => kind === 'approval') ? 'Waiting for approval.' : workingWords(parts)}{' '}
          {turn !== null && <Elapsed since={turn.started_at} />}
        </p>
      )}
    </article>
  );
}

const titleOf = (parts: Shown['parts'], toolId: string): string =>
  chartTitle(parts.filter(isTool).find(({ toolCallId }) => toolCallId === toolId));

function workingWords(parts: Shown['parts']): string {
  const running = parts.filter(isTool).filter(({ state }: ToolPart) => state === 'input-available').length;
  if (running === 1) return 'Running a tool.';
  if (running > 1) return `Running ${running} tools.`;
  return parts.some(({ type }) => type === 'text') ? 'Answering.' : 'Thinking.';
}

/** A note about an answer that is not simply complete. */
function Outcome({ turn, limit }: { turn: Turn | null; limit: string | null }) {
  if (turn?.status === 'failed') {
    return (
      <Note className="border-bad bg-bad-soft text-bad" icon={<CircleAlert aria-hidden size={16} />}>
        The answer failed. {turn.explanation}
      </Note>
    );
  }
  if (turn?.status === 'cancelled') {
    return (
      <Note className="text-ink-soft" icon={<CircleStop aria-hidden size={16} />}>
        Stopped. The text so far is kept.
      </Note>
    );
  }
  if (limit === null) return null;
  return (
    <Note className="border-warn bg-warn-soft text-warn" icon={<TriangleAlert aria-hidden size={16} />}>
      The answer ended early because {limitWords(limit)}.
    </Note>
  );
}

const Note = ({ icon, className, children }: { icon: ReactNode; className: string; children: ReactNode }) => (
  <p className={`flex items-start gap-2 rounded-lg border px-3 py-2 text-sm ${className}`}>
    <span className="mt-0.5 shrink-0">{icon}</span>
    <span className="min-w-0 break-words">{children}</span>
  </p>
);

function Foot({ message, canDraw, onChart }: { message: Shown; canDraw: boolean; onChart?: MessageProps['onChart'] }) {
  const { parts, turn } = message;
  const text = turn?.text ?? textOf(parts);
  return (
    <div className="-ml-2.5 flex flex-wrap items-center gap-x-1 text-sm text-ink-soft">
      {text !== '' && (
        <CopyButton variant="quiet" size="small" text={() => text}>
          Copy as Markdown
        </CopyButton>
      )}
      {canDraw && onChart !== undefined && (
        <Button variant="quiet" size="small" onClick={() => onChart(null)}>
          <ChartLine aria-hidden size={16} /> Draw a chart
        </Button>
      )}
      {turn !== null && turn.finished_at !== null && (
        <span className="px-2.5">
          {duration(Date.parse(turn.finished_at) - Date.parse(turn.started_at))}
          {turn.usage.model !== null && ` · ${turn.usage.model}`}
          {turn.usage.cost > 0 && ` · ${dollars(turn.usage.cost)}`}
        </span>
      )}
    </div>
  );
}
