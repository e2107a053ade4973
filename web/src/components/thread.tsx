/** How far something is on its way from a finding to its verified end, on the page of each stage. */
import { Link } from '@tanstack/react-router';
import { ChevronRight } from 'lucide-react';
import type { Schema } from '../api/client.ts';
import { Badge, StatusBadge } from './ui/badge.tsx';
import { Time } from './ui/time.tsx';

type Finding = Schema<'FindingListResponse'>['findings'][number];
type Stage = 'finding' | 'investigation';

const LINK = 'font-medium text-accent underline';

/** @param current the stage whose page this is; the others are links */
export function Thread({ finding, current }: { finding: Finding; current: Stage }) {
  const { id, investigation } = finding;
  if (investigation === null) return null;
  return (
    <nav aria-label="From finding to verification" className="pb-4 text-sm">
      <ol className="flex flex-wrap items-center gap-x-2 gap-y-1.5">
        <li className="flex items-center gap-1.5">
          {current === 'finding' ? (
            <span aria-current="page">Finding</span>
          ) : (
            <Link to="/finding/$findingId" params={{ findingId: id }} className={LINK}>
              Finding
            </Link>
          )}
          {finding.opened_at !== null && (
            <span className="text-ink-soft">
              opened <Time at={finding.opened_at} />
            </span>
          )}
        </li>
        <Then />
        <li className="flex items-center gap-1.5">
          {current === 'investigation' ? (
            <span aria-current="page">Investigation</span>
          ) : (
            <Link to="/investigation/$investigationId" params={{ investigationId: investigation.id }} className={LINK}>
              Investigation
            </Link>
          )}
          {investigation.status !== null && <StatusBadge status={investigation.status} />}
        </li>
        <Then />
        <li className="flex items-center gap-1.5">
          Verified
          <Verified finding={finding} />
        </li>
      </ol>
    </nav>
  );
}

const Then = () => (
  <li aria-hidden className="text-ink-soft">
    <ChevronRight size={14} />
  </li>
);

/** What a person closed may go on. */
function Verified({ finding: { status, resolved_at: at, closed_by: closedBy } }: { finding: Finding }) {
  if (at !== null && (status === 'resolved' || (status === 'closed' && closedBy === null))) {
    return (
      <>
        <Badge tone="good">Recovered</Badge>
        <span className="text-ink-soft">
          <Time at={at} />
        </span>
      </>
    );
  }
  return <Badge tone="neutral">{status === 'closed' ? 'Closed without recovery' : 'Not yet'}</Badge>;
}
