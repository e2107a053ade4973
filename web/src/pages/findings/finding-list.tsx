/** Findings, the newest first. */
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { Badge } from '../../components/ui/badge.tsx';
import { Pager } from '../../components/ui/pager.tsx';
import { Empty, Failed, Loading } from '../../components/ui/states.tsx';
import { Time } from '../../components/ui/time.tsx';
import { FindingStatusBadge, SeverityBadge } from './marks.tsx';
import { findingsQuery, type FindingFilter, type FindingSummary } from './queries.ts';

export interface FindingListProps {
  filter: FindingFilter;
  /** Of the titles: one below what is above the list. */
  headingLevel: 2 | 3;
  onPage?: (page: number) => void;
  /** Without the words of the observation. */
  isShort?: boolean;
  /** What the agents are called; without it, agents are not named. */
  agents?: ReadonlyMap<string, string>;
}

export function FindingList({ filter, headingLevel, onPage, isShort = false, agents }: FindingListProps) {
  const { data, isPending, isError, error, refetch } = useQuery(findingsQuery(filter));
  if (isPending) return <Loading lines={isShort ? 3 : 6} />;
  if (isError) return <Failed error={error} onRetry={() => void refetch()} />;
  const { findings, total, page, count } = data;
  if (findings.length === 0) {
    if (isShort) return <p className="text-ink-soft">Nothing was found yet.</p>;
    return <Empty title="No findings">What checks and alerts report, and what fits the filters, is listed here.</Empty>;
  }
  return (
    <>
      <ul className={isShort ? 'divide-y' : 'divide-y rounded-lg border bg-surface'}>
        {findings.map((finding) => (
          <FindingRow
            key={finding.id}
            finding={finding}
            Heading={headingLevel === 2 ? 'h2' : 'h3'}
            isShort={isShort}
            {...(agents && { agentTitle: finding.chat_id === null ? null : (agents.get(finding.chat_id) ?? '') })}
          />
        ))}
      </ul>
      {onPage && (
        <Pager
          page={page}
          hasMore={page * count < total}
          summary={`${(page - 1) * count + 1}-${(page - 1) * count + findings.length} of ${total}`}
          onPage={onPage}
        />
      )}
    </>
  );
}

interface RowProps {
  finding: FindingSummary;
  Heading: 'h2' | 'h3';
  isShort: boolean;
  /** null: it belongs to no agent. */
  agentTitle?: string | null;
}

function FindingRow({ finding, Heading, isShort, agentTitle }: RowProps) {
  const { id, title, severity, status, flapping, summary, service, occurrences, investigation } = finding;
  const since = finding.opened_at ?? finding.last_seen_at;
  return (
    <li className={isShort ? 'relative py-2.5 first:pt-0 last:pb-0' : 'relative px-4 py-3 hover:bg-sunken/60'}>
      <div className="flex flex-wrap items-center gap-1.5 pb-0.5">
        <SeverityBadge severity={severity} />
        <FindingStatusBadge status={status} />
        {flapping && <Badge tone="warn">Comes and goes</Badge>}
        <span className="ml-auto text-sm text-ink-soft">
          <Time at={since} />
        </span>
      </div>
      <Heading className="font-medium">
        <Link
          to="/finding/$findingId"
          params={{ findingId: id }}
          className="line-clamp-2 break-words after:absolute after:inset-0 hover:text-accent"
        >
          <bdi>{title}</bdi>
        </Link>
      </Heading>
      {!isShort && (
        <>
          {summary !== title && <p className="line-clamp-2 text-sm break-words text-ink-soft">{summary}</p>}
          <p className="flex flex-wrap gap-x-3 text-sm text-ink-soft">
            {service !== null && <span className="max-w-60 truncate">{service}</span>}
            <span>{occurrences === 1 ? 'Seen once' : `Seen ${occurrences} times`}</span>
            {agentTitle === null ? (
              <span>Alert from outside</span>
            ) : (
              agentTitle !== undefined && <span className="max-w-80 truncate">{agentTitle}</span>
            )}
            {investigation !== null && <span>Investigated</span>}
          </p>
        </>
      )}
    </li>
  );
}
