/** What happened to a finding and what people did, oldest first. */
import { Time, wholeTime } from '../../components/ui/time.tsx';
import type { Finding } from './queries.ts';

type Entry = Finding['timeline'][number];

const WORDS: Record<Entry['event'], (entry: Entry) => string> = {
  opened: () => 'Opened',
  resolved: () => 'Resolved',
  closed_by_itself: () => 'Closed: it did not recur',
  acknowledged: () => 'acknowledged it',
  unacknowledged: () => 'unacknowledged it',
  closed: () => 'closed it',
  muted: ({ until, by }) =>
    `${by === null ? 'Still muted' : 'muted it'}${until === null ? '' : ` until ${wholeTime(new Date(until))}`}`,
  unmuted: ({ by }) => (by === null ? 'Mute ended' : 'unmuted it'),
  assigned: ({ assignee }) => `assigned it to ${assignee ?? 'somebody'}`,
  unassigned: () => 'removed the assignee',
  commented: () => 'commented',
};

export function Timeline({ entries }: { entries: readonly Entry[] }) {
  if (entries.length === 0) return <p className="text-ink-soft">No events yet.</p>;
  return (
    <ol className="flex flex-col gap-3">
      {entries.map((entry) => (
        <li key={entry.id} className="text-sm">
          <div className="flex flex-wrap gap-x-2">
            <span className="min-w-0 flex-1 break-words">
              {entry.by !== null && <bdi className="font-medium">{entry.by} </bdi>}
              {WORDS[entry.event](entry)}
              {entry.via === 'slack' && ' in Slack'}
            </span>
            <span className="text-ink-soft">
              <Time at={entry.at} />
            </span>
          </div>
          {entry.text !== null && (
            <p className="mt-1 border-l-2 pl-3 break-words whitespace-pre-wrap">
              <bdi>{entry.text}</bdi>
            </p>
          )}
        </li>
      ))}
    </ol>
  );
}
