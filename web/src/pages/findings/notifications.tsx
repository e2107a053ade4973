/** Who was notified of what and when, including failed deliveries. */
import type { Schema } from '../../api/client.ts';
import { Badge, type Tone } from '../../components/ui/badge.tsx';
import { Time } from '../../components/ui/time.tsx';
import { ScrollBox } from '../../components/ui/scroll-box.tsx';

type Notification = Schema<'NotificationResponse'>;

const STATUSES: Record<Notification['status'], { tone: Tone; word: string }> = {
  pending: { tone: 'accent', word: 'On its way' },
  delivered: { tone: 'good', word: 'Delivered' },
  failed: { tone: 'bad', word: 'Not delivered' },
  skipped: { tone: 'neutral', word: 'Nobody to notify' },
};

const EVENTS: Record<Notification['event'], string> = {
  opened: 'The start',
  report: 'The report of its investigation',
  resolved: 'The all-clear',
  reopened: 'The recurrence',
  acknowledged: 'The acknowledgement',
  unacknowledged: 'The acknowledgement taken back',
  closed: 'The closing',
  muted: 'The mute',
  unmuted: 'The end of the mute',
  assigned: 'The assignment',
  unassigned: 'The end of the assignment',
  commented: 'A comment',
  flapping: 'Flapping',
  test: 'A test',
};

export function Notifications({ notifications }: { notifications: readonly Notification[] }) {
  if (notifications.length === 0) return <p className="text-ink-soft">Nobody has been notified yet.</p>;
  return (
    <ol className="divide-y">
      {notifications.map((notification) => (
        <li key={notification.id} className="py-2.5 text-sm first:pt-0 last:pb-0">
          <Told notification={notification} />
        </li>
      ))}
    </ol>
  );
}

function Told({ notification }: { notification: Notification }) {
  const { event, channel, status, title, text, attempts, last_error: error, receipt } = notification;
  return (
    <>
      <div className="flex flex-wrap items-center gap-x-2 gap-y-1">
        <span className="font-medium">{EVENTS[event]}</span>
        <Badge tone={STATUSES[status].tone}>{STATUSES[status].word}</Badge>
        <span className="ml-auto text-ink-soft">
          <Time at={notification.delivered_at ?? notification.created_at} />
        </span>
      </div>
      <p className="break-words text-ink-soft">
        {channel === null ? 'No channel configured.' : (channel.label ?? channel.type)}
        {attempts > 1 && `, tried ${attempts} times`}
      </p>
      {error !== null && status !== 'delivered' && <p className="break-words text-bad">{error}</p>}
      {receipt !== null && receipt !== '' && (
        <p className="line-clamp-2 break-words text-ink-soft">The receiver replied: {receipt}</p>
      )}
      <details className="pt-1">
        <summary className="text-ink-soft">What was written</summary>
        <ScrollBox
          label="What was written"
          className="mt-1 max-h-80 rounded-md bg-sunken p-3 break-words whitespace-pre-wrap"
        >
          <p className="font-medium">{title}</p>
          {text}
        </ScrollBox>
      </details>
    </>
  );
}
