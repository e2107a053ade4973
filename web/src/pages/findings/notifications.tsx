/** Notifications of a finding, including failed deliveries. */
import type { Schema } from '../../api/client.ts';
import { Badge, type Tone } from '../../components/ui/badge.tsx';
import { Time } from '../../components/ui/time.tsx';
import { ScrollBox } from '../../components/ui/scroll-box.tsx';

type Notification = Schema<'NotificationResponse'>;

const STATUSES: Record<Notification['status'], { tone: Tone; word: string }> = {
  pending: { tone: 'accent', word: 'Sending' },
  delivered: { tone: 'good', word: 'Delivered' },
  failed: { tone: 'bad', word: 'Not delivered' },
  skipped: { tone: 'neutral', word: 'Not sent' },
};

const EVENTS: Record<Notification['event'], string> = {
  opened: 'Opened',
  report: 'Investigation report',
  resolved: 'Resolved',
  reopened: 'Reopened',
  acknowledged: 'Acknowledged',
  unacknowledged: 'Unacknowledged',
  closed: 'Closed',
  muted: 'Muted',
  unmuted: 'Unmuted',
  assigned: 'Assigned',
  unassigned: 'Unassigned',
  commented: 'Comment',
  flapping: 'Flapping',
  test: 'Test',
};

export function Notifications({ notifications }: { notifications: readonly Notification[] }) {
  if (notifications.length === 0) return <p className="text-ink-soft">No notifications yet.</p>;
  return (
    <ol className="divide-y">
      {notifications.map((notification) => (
        <li key={notification.id} className="py-2.5 text-sm first:pt-0 last:pb-0">
          <Sent notification={notification} />
        </li>
      ))}
    </ol>
  );
}

function Sent({ notification }: { notification: Notification }) {
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
        {channel === null ? 'No channel configured' : (channel.label ?? channel.type)}
        {attempts > 1 && `, ${attempts} attempts`}
      </p>
      {error !== null && status !== 'delivered' && <p className="break-words text-bad">{error}</p>}
      {receipt !== null && receipt !== '' && (
        <p className="line-clamp-2 break-words text-ink-soft">Response: {receipt}</p>
      )}
      <details className="pt-1">
        <summary className="text-ink-soft">Message</summary>
        <ScrollBox label="Message" className="mt-1 max-h-80 rounded-md bg-sunken p-3 break-words whitespace-pre-wrap">
          <p className="font-medium">{title}</p>
          {text}
        </ScrollBox>
      </details>
    </>
  );
}
