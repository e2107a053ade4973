import { clsx } from 'clsx';
import { useEffect, useRef } from 'react';
import { CopyButton } from '../../../components/ui/copy-button.tsx';
import { Panel } from '../../../components/ui/panel.tsx';
import { Prose } from '../evidence/prose.tsx';
import type { Report } from '../queries.ts';

const clock = new Intl.DateTimeFormat('en-GB', { timeStyle: 'medium' });
const day = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium' });
const whole = new Intl.DateTimeFormat('en-GB', { dateStyle: 'full', timeStyle: 'long' });

export interface TimelineProps {
  events: Report['timeline'];
  /** The address of an entry, from 1; absent where entries are not linked. */
  linkTo?: (n: number) => string;
  /** The entry that the address points to. */
  moment?: number | undefined;
}

/** What happened when, in the reader's time zone. */
export function Timeline({ events, linkTo, moment }: TimelineProps) {
  const pointedAt = useRef<HTMLLIElement>(null);
  useEffect(() => {
    if (moment !== undefined) pointedAt.current?.scrollIntoView({ block: 'center' });
  }, [moment]);
  if (events.length === 0) return null;
  const zone = new Intl.DateTimeFormat().resolvedOptions().timeZone;
  return (
    <Panel title="Timeline" actions={<span className="text-sm text-ink-soft">{zone}</span>}>
      <ol className="relative flex flex-col gap-3 border-l-2 pl-5">
        {events.map(({ at, event }, index) => {
          const n = index + 1;
          const isPointedAt = n === moment;
          return (
            <li
              key={`${at} ${event}`}
              id={`moment-${n}`}
              {...(isPointedAt && { ref: pointedAt, 'aria-current': true })}
              className={clsx('relative flex items-start gap-2', isPointedAt && 'rounded-md bg-accent-soft')}
            >
              <span
                aria-hidden
                className="absolute top-1.5 -left-[1.6rem] size-2.5 rounded-full border-2 border-surface bg-line-strong"
              />
              <div className="min-w-0 flex-1">
                <Moment at={at} />
                <Prose text={event} />
              </div>
              {linkTo && (
                <CopyButton
                  variant="quiet"
                  size="small"
                  icon
                  text={() => linkTo(n)}
                  aria-label={`Copy link to moment ${n}`}
                  title="Copy link to this moment"
                />
              )}
            </li>
          );
        })}
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
