import { Badge, type Tone } from '../../../components/ui/badge.tsx';
import type { SessionSummary } from '../queries.ts';

export const SESSION_WORDS: Record<SessionSummary['status'], { tone: Tone; word: string; live?: true }> = {
  running: { tone: 'accent', word: 'Running', live: true },
  ok: { tone: 'good', word: 'OK' },
  finding: { tone: 'bad', word: 'Finding' },
  failed: { tone: 'warn', word: 'Couldn’t run' },
  cancelled: { tone: 'neutral', word: 'Cancelled' },
};

/** The result of a run of a check. */
export function SessionBadge({ status }: { status: SessionSummary['status'] }) {
  const { tone, word, live } = SESSION_WORDS[status];
  return (
    <Badge tone={tone} {...(live && { live })}>
      {word}
    </Badge>
  );
}
