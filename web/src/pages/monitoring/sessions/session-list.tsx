/** Runs of checks, as rows that open. */
import { Link } from '@tanstack/react-router';
import { count, dollars } from '../../../components/ui/numbers.ts';
import { duration, Elapsed, Time } from '../../../components/ui/time.tsx';
import type { SessionSummary } from '../queries.ts';
import { SessionBadge } from './session-badge.tsx';

export function SessionList({ sessions }: { sessions: readonly SessionSummary[] }) {
  if (sessions.length === 0) return <p className="text-ink-soft">No sessions yet.</p>;
  return (
    <ul className="divide-y">
      {sessions.map((session) => (
        <SessionRow key={session.id} session={session} />
      ))}
    </ul>
  );
}

function SessionRow({ session }: { session: SessionSummary }) {
  const { id, status, title, summary, started_at: startedAt, duration_seconds: seconds } = session;
  const found = session.observations.filter(({ is_finding: isFinding }) => isFinding).length;
  return (
    <li className="relative flex flex-col gap-0.5 py-2.5 first:pt-0 last:pb-0">
      <div className="flex flex-wrap items-center gap-x-2 gap-y-1">
        <SessionBadge status={status} />
        <Link
          to="."
          search={(now) => ({ ...now, tab: 'sessions', open: id })}
          resetScroll={false}
          className="order-last line-clamp-2 min-w-0 basis-full font-medium wrap-anywhere sm:order-none sm:flex-1 sm:basis-0 after:absolute after:inset-0 hover:text-accent"
        >
          <bdi>{title}</bdi>
        </Link>
        <span className="ml-auto text-sm text-ink-soft">
          <Time at={startedAt} />
        </span>
      </div>
      {summary !== null && <p className="line-clamp-2 text-sm break-words">{summary}</p>}
      <p className="flex flex-wrap gap-x-3 text-sm text-ink-soft">
        <span>{seconds === null ? <Elapsed since={startedAt} /> : duration(seconds * 1_000)}</span>
        {session.observations.length > 0 && <span>{observed(session.observations.length, found)}</span>}
        {session.cost > 0 && <span>{dollars(session.cost)}</span>}
        {session.missed > 0 && <span>{count(session.missed, 'scheduled run')} missed before</span>}
      </p>
    </li>
  );
}

function observed(all: number, found: number): string {
  const observations = count(all, 'observation');
  return found === 0 ? observations : `${observations}, ${count(found, 'finding')}`;
}
