/** From the finding that opened an investigation to the end of what was found. */
import { Link } from '@tanstack/react-router';
import { ChevronRight } from 'lucide-react';
import type { Schema } from '../../api/client.ts';
import { Badge, StatusBadge } from '../../components/ui/badge.tsx';
import { Time } from '../../components/ui/time.tsx';

type Finding = Schema<'FindingListResponse'>['findings'][number];
export function Thread({ finding: { id, opened_at: openedAt, investigation, ...finding } }: { finding: Finding }) {
  return (
    <nav aria-label="From finding to verification" className="pb-4 text-sm">
      <ol className="flex flex-wrap items-center gap-x-2 gap-y-1.5">
        <li className="flex items-center gap-1.5">
          <Link to="/finding/$findingId" params={{ findingId: id }} className="font-medium text-accent underline">
            Finding
          </Link>
          {openedAt !== null && (
            <span className="text-ink-soft">
              opened <Time at={openedAt} />
            </span>
          )}
        </li>
        <Then />
        <li className="flex items-center gap-1.5">
          <span aria-current="page">Investigation</span>
          {investigation?.status && <StatusBadge status={investigation.status} />}
        </li>
        <Then />
        <li className="flex items-center gap-1.5">
          Verified <Verified finding={finding} />
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
function Verified({
  finding: { status, resolved_at: at, closed_by: closedBy },
}: {
  finding: Pick<Finding, 'status' | 'resolved_at' | 'closed_by'>;
}) {
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
