import { Link } from '@tanstack/react-router';
import { StatusBadge } from '../../components/ui/badge.tsx';
import { duration, Elapsed, Time } from '../../components/ui/time.tsx';
import type { Summary } from './queries.ts';

/** One investigation in the list. The link covers the row, so that it is easily hit on a phone. */
export function InvestigationRow({ investigation }: { investigation: Summary }) {
  const { id, query, alert_summary: title, status, created_at: createdAt, finished_at: finishedAt } = investigation;
  const service = investigation.root_cause_service;
  return (
    <li className="relative flex flex-wrap items-baseline gap-x-3 gap-y-1 px-4 py-3 hover:bg-sunken has-[a:focus-visible]:bg-accent-soft">
      <div className="min-w-0 flex-1 basis-72">
        <Link
          to="/investigation/$investigationId"
          params={{ investigationId: id }}
          className="line-clamp-2 font-medium break-words after:absolute after:inset-0"
        >
          {title ?? query}
        </Link>
        {title !== null && <p className="line-clamp-1 text-sm break-words text-ink-soft">{query}</p>}
      </div>
      <div className="flex flex-wrap items-center gap-x-3 gap-y-1 text-sm text-ink-soft">
        {service !== null && <span className="max-w-52 truncate font-mono text-ink">{service}</span>}
        {finishedAt === null ? (
          <Elapsed since={createdAt} />
        ) : (
          <span title="How long it took">{duration(Date.parse(finishedAt) - Date.parse(createdAt))}</span>
        )}
        <Time at={createdAt} />
        <StatusBadge status={status} />
      </div>
    </li>
  );
}
