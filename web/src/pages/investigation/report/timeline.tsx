import { Panel } from '../../../components/ui/panel.tsx';
import { Prose } from '../evidence/prose.tsx';
import type { Report } from '../queries.ts';

const clock = new Intl.DateTimeFormat(undefined, { timeStyle: 'medium' });
const day = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium' });
const whole = new Intl.DateTimeFormat(undefined, { dateStyle: 'full', timeStyle: 'long' });

/** What happened when, in the reader's time zone. */
export function Timeline({ events }: { events: Report['timeline'] }) {
  if (events.length === 0) return null;
  const zone = new Intl.DateTimeFormat().resolvedOptions().timeZone;
  return (
    <Panel title="Timeline" actions={<span className="text-sm text-ink-soft">{zone}</span>}>
      <ol className="relative flex flex-col gap-3 border-l-2 pl-5">
        {events.map(({ at, event }) => (
          <li key={`${at} ${event}`} className="relative">
            <span
              aria-hidden
              className="absolute top-1.5 -left-[1.6rem] size-2.5 rounded-full border-2 border-surface bg-line-strong"
            />
            <Moment at={at} />
            <Prose text={event} />
          </li>
        ))}
      </ol>
    </Panel>
  );
}

/** A model may write an impossible time; show it as written. */
function Moment({ at }: { at: string }) {
  const date = new Date(at);
  if (Number.isNaN(date.getTime())) return <span className="text-sm text-ink-soft">{at}</span>;
  return (
    <time dateTime={at} title={whole.format(date)} className="block text-sm text-ink-soft tabular-nums">
      {day.format(date)} <span className="font-medium text-ink">{clock.format(date)}</span>
    </time>
  );
}
