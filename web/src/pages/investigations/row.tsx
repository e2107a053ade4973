import { Link } from '@tanstack/react-router';
import { StatusBadge } from '../../components/ui/badge.tsx';
import { duration, Elapsed, Time } from '../../components/ui/time.tsx';
import type { Summary } from './queries.ts';

/** One investigation in the list. The link covers the row, an easy target on a phone. */
export function InvestigationRow({ investigation }: { investigation: Summary }) {
  const { id, query, alert_summary: title, status, created_at: createdAt, finished_at: finishedAt } = investigation;
  const { root_cause_service: service, doing } = investigation;
  const isRunning = status === 'processing';
  return (
    <li className="relative flex flex-wrap items-baseline gap-x-3 gap-y-1 px-4 py-3 hover:bg-sunken has-[a:focus-visible]:bg-accent-soft">
      <div className="min-w-0 flex-1 basis-72">
        <Link
          to="/investigation/$investigationId"
          params={{ investigationId: id }}
          className="line-clamp-2 font-medium wrap-anywhere after:absolute after:inset-0"
        >
          {title ?? query}
        </Link>
        {title !== null && <p className="line-clamp-1 text-sm wrap-anywhere text-ink-soft">{query}</p>}
        {isRunning && doing !== null && <p className="line-clamp-1 text-sm wrap-anywhere text-ink-soft">{doing} …</p>}
      </div>
      <div className="flex flex-wrap items-center gap-x-3 gap-y-1 text-sm text-ink-soft">
        {service !== null && (
          <span className="max-w-52 truncate font-mono text-ink" title="The faulty service">
            {service}
          </span>
        )}
        {isRunning && <Elapsed since={createdAt} />}
        {!isRunning && finishedAt !== null && (
          <span title="How long it took">{duration(Date.parse(finishedAt) - Date.parse(createdAt))}</span>
        )}
        <Time at={createdAt} />
        <StatusBadge status={status} />
      </div>
    </li>
  );
}
