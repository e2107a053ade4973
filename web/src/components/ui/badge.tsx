import { clsx } from 'clsx';
import type { ReactNode } from 'react';

export type Tone = 'neutral' | 'accent' | 'good' | 'warn' | 'bad';

const TONES: Record<Tone, string> = {
  neutral: 'bg-sunken text-ink-soft',
  accent: 'bg-accent-soft text-accent',
  good: 'bg-good-soft text-good',
  warn: 'bg-warn-soft text-warn',
  bad: 'bg-bad-soft text-bad',
};

/** A word about a state. The tone only repeats the word: colour alone says nothing. */
export function Badge({ tone = 'neutral', live, children }: { tone?: Tone; live?: boolean; children: ReactNode }) {
  return (
    <span
      className={clsx(
        'inline-flex items-center gap-1.5 rounded-full px-2 py-0.5 text-xs font-medium whitespace-nowrap',
        TONES[tone],
      )}
    >
      {live === true && <span aria-hidden className="size-1.5 animate-pulse rounded-full bg-current" />}
      {children}
    </span>
  );
}

const RUN_STATES: Record<string, { tone: Tone; word: string; live?: boolean }> = {
  processing: { tone: 'accent', word: 'Running', live: true },
  running: { tone: 'accent', word: 'Running', live: true },
  pending: { tone: 'accent', word: 'Running', live: true },
  completed: { tone: 'good', word: 'Completed' },
  failed: { tone: 'bad', word: 'Failed' },
  cancelled: { tone: 'neutral', word: 'Cancelled' },
};

/** The state of an investigation, a turn, a tool call or a session of checks. */
export function StatusBadge({ status }: { status: string }) {
  const { tone, word, live } = RUN_STATES[status] ?? { tone: 'neutral' as const, word: status };
  return (
    <Badge tone={tone} {...(live === true && { live })}>
      {word}
    </Badge>
  );
}
