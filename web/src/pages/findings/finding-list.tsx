/** Findings, newest first. */
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { Pager } from '../../components/ui/pager.tsx';
import { Empty, Failed, Loading } from '../../components/ui/states.tsx';
import { Time } from '../../components/ui/time.tsx';
import { CareBadges, FindingStatusBadge, SeverityBadge } from './marks.tsx';
import { findingsQuery, type FindingFilter, type FindingSummary } from './queries.ts';

const INVESTIGATION_WORDS = {
  processing: 'Investigating',
  completed: 'Investigated',
  failed: 'Investigation failed',
  cancelled: 'Investigation cancelled',
  gone: 'Investigated',
};

export interface FindingListProps {
  filter: FindingFilter;
  /** Heading level of the titles, one below what is above the list. */
  headingLevel: 2 | 3;
  onPage?: (page: number) => void;
  /** Without the text of the observation. */
  isShort?: boolean;
  /** Whether to name the agents; not if all findings are of one. */
  namesAgents?: boolean;
}

export function FindingList({ filter, headingLevel, onPage, isShort = false, namesAgents = false }: FindingListProps) {
  const { data, isPending, isError, error, refetch, isPlaceholderData } = useQuery(findingsQuery(filter));
  if (isPending) return <Loading lines={isShort ? 3 : 6} />;
  // Keep showing findings while refetching fails.
  const failed = isError && <Failed error={error} onRetry={() => void refetch()} />;
  if (data === undefined) return failed;
  const { findings, total, page, count } = data;
  const first = (page - 1) * count + 1;
  return (
    <>
      {failed}
      {findings.length === 0 && (
        <NoFindings isShort={isShort} isBeyond={page > 1} isOpenOnly={filter.status === 'open'} />
      )}
      <ul
        aria-busy={isPlaceholderData}
        className={isShort || findings.length === 0 ? 'divide-y' : 'divide-y rounded-lg border bg-surface'}
      >
        {findings.map((finding) => (
          <FindingRow
            key={finding.id}
            finding={finding}
            Heading={headingLevel === 2 ? 'h2' : 'h3'}
            isShort={isShort}
            namesAgents={namesAgents}
          />
        ))}
      </ul>
      {onPage && (
        <Pager
          page={page}
          hasMore={page * count < total}
          {...(findings.length > 0 && { summary: `${first}–${first + findings.length - 1} of ${total}` })}
          onPage={onPage}
        />
      )}
    </>
  );
}

function NoFindings({ isShort, isBeyond, isOpenOnly }: { isShort: boolean; isBeyond: boolean; isOpenOnly: boolean }) {
  if (isShort) return <p className="text-ink-soft">{isOpenOnly ? 'No open findings.' : 'No findings yet.'}</p>;
  if (isBeyond) return <Empty title="Nothing on this page">The list has become shorter.</Empty>;
  return <Empty title="No findings">Findings and alerts that match the filters appear here.</Empty>;
}

interface RowProps {
  finding: FindingSummary;
  Heading: 'h2' | 'h3';
  isShort: boolean;
  namesAgents: boolean;
}

function FindingRow({ finding, Heading, isShort, namesAgents }: RowProps) {
  const { id, title, severity, status, summary, service, occurrences, investigation } = finding;
  const since = finding.opened_at ?? finding.last_seen_at;
  return (
    <li className={isShort ? 'relative py-2.5 first:pt-0 last:pb-0' : 'relative px-4 py-3 hover:bg-sunken/60'}>
      <div className="flex flex-wrap items-center gap-1.5 pb-0.5">
        <SeverityBadge severity={severity} />
        <FindingStatusBadge status={status} />
        <CareBadges {...finding} />
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
            {service !== null && <span className="line-clamp-2 wrap-anywhere">{service}</span>}
            <span>{occurrences === 1 ? 'Seen once' : `Seen ${occurrences} times`}</span>
            {namesAgents && (
              <span className="line-clamp-2 wrap-anywhere">{finding.agent?.title ?? 'External alert'}</span>
            )}
            {investigation !== null && <span>{INVESTIGATION_WORDS[investigation.status ?? 'gone']}</span>}
          </p>
        </>
      )}
    </li>
  );
}
