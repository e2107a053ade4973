import { Link } from '@tanstack/react-router';
import { Badge } from '../../components/ui/badge.tsx';
import { duration, Elapsed, Time } from '../../components/ui/time.tsx';
import { confidenceWords } from '../investigation/report/confidence.ts';
import { outcomeOf } from './outcome.ts';
import type { Summary } from './queries.ts';

/** One investigation in the list. The link covers the row, an easy target on a phone. */
export function InvestigationRow({ investigation }: { investigation: Summary }) {
  const { id, query, alert_summary: summary, created_at: createdAt, finished_at: finishedAt } = investigation;
  const { status, doing } = investigation;
  const title = summary ?? query;
  const isRunning = status === 'processing';
  return (
    <li className="relative flex flex-wrap items-baseline gap-x-3 gap-y-1 px-4 py-3 hover:bg-sunken has-[a:focus-visible]:bg-accent-soft">
      <div className="min-w-0 flex-1 basis-72">
        <Link
          to="/investigation/$investigationId"
          params={{ investigationId: id }}
          title={title}
          className="line-clamp-3 font-medium wrap-anywhere after:absolute after:inset-0"
        >
          {title}
        </Link>
        {summary !== null && <p className="line-clamp-1 text-sm wrap-anywhere text-ink-soft">{query}</p>}
        {isRunning && doing !== null && <p className="line-clamp-1 text-sm wrap-anywhere text-ink-soft">{doing}…</p>}
      </div>
      <div className="flex min-w-0 flex-wrap items-center gap-x-3 gap-y-1 text-sm text-ink-soft">
        <Outcome investigation={investigation} />
        <span title={isRunning ? 'Running for' : 'Duration'}>
          {isRunning && <Elapsed since={createdAt} />}
          {!isRunning && finishedAt !== null && duration(Date.parse(finishedAt) - Date.parse(createdAt))}
        </span>
        <Time at={createdAt} />
      </div>
    </li>
  );
}

/** How it ended and, where a cause was found, the service and how likely it is. */
function Outcome({ investigation }: { investigation: Summary }) {
  const { value, title, tone } = outcomeOf(investigation);
  const { root_cause_service: service, confidence } = investigation;
  return (
    <>
      <Badge tone={tone} live={value === 'processing'}>
        {title}
      </Badge>
      {value === 'cause_found' && (
        <span className="flex min-w-0 items-baseline gap-x-2">
          <bdi className="max-w-52 truncate font-mono text-ink" title={`Root cause: ${service}`}>
            {service}
          </bdi>
          {confidence !== null && (
            <span title={`Confidence: ${Math.round(confidence * 100)}%`}>
              {confidenceWords(confidence).words.toLowerCase()}
            </span>
          )}
        </span>
      )}
    </>
  );
}
