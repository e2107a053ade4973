import { CircleAlert, CircleCheck, CircleDashed, CircleSlash, LoaderCircle, type LucideIcon } from 'lucide-react';
import { duration, Elapsed } from '../../../components/ui/time.tsx';
import { useEvidence } from '../evidence/evidence-context.ts';
import type { CallView } from '../live/run-view.ts';

const STATES: Record<CallView['state'], { icon: LucideIcon; word: string; tone: string }> = {
  waiting: { icon: CircleDashed, word: 'Waiting', tone: 'text-ink-soft' },
  running: { icon: LoaderCircle, word: 'Running', tone: 'text-accent animate-spin' },
  done: { icon: CircleCheck, word: 'Done', tone: 'text-good' },
  empty: { icon: CircleDashed, word: 'No data', tone: 'text-ink-soft' },
  failed: { icon: CircleAlert, word: 'Failed', tone: 'text-bad' },
  cancelled: { icon: CircleSlash, word: 'Cancelled', tone: 'text-ink-soft' },
};

/** A tool call; opens its result once there is one. */
export function CallRow({ call }: { call: CallView }) {
  const { openCall } = useEvidence();
  const { icon: Icon, word, tone } = STATES[call.state];
  const isOver = call.state !== 'waiting' && call.state !== 'running';
  return (
    <button
      type="button"
      disabled={!isOver}
      onClick={() => openCall(call.id)}
      className="grid w-full grid-cols-[auto_minmax(0,1fr)_auto] items-start gap-x-2.5 rounded-md border bg-ground px-3 py-2 text-left text-sm enabled:hover:border-line-strong"
    >
      <Icon role="img" aria-label={word} size={16} className={`mt-0.5 shrink-0 ${tone}`} />
      <span className="min-w-0">
        <span className="font-medium break-words">{call.summary}</span>{' '}
        <span className="font-mono text-xs text-ink-soft">{call.name}</span>
      </span>
      <span className="text-ink-soft tabular-nums">
        {call.durationMs !== null && duration(call.durationMs)}
        {call.state === 'running' && call.startedAt !== null && <Elapsed since={call.startedAt} />}
      </span>
      {call.digest !== null && (
        <span className={`col-start-2 col-end-4 break-words ${call.state === 'failed' ? 'text-bad' : 'text-ink-soft'}`}>
          {call.digest}
        </span>
      )}
    </button>
  );
}
