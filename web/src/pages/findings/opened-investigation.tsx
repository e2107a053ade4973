/** The investigation that a finding started. */
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { may, sessionQuery } from '../../api/session.ts';
import { StatusBadge } from '../../components/ui/badge.tsx';
import { Panel } from '../../components/ui/panel.tsx';
import { investigationOfQuery, type Finding } from './queries.ts';

export function OpenedInvestigation({ finding }: { finding: Finding }) {
  const { investigation, on_finding: actions } = finding;
  if (investigation === null) {
    return (
      <Panel title="Investigation">
        <p className="text-ink-soft">
          {actions.includes('investigate') ? 'None has been started.' : 'Its check does not start any.'}
        </p>
      </Panel>
    );
  }
  return (
    <Panel title="Investigation">
      <Opened id={investigation.id} />
    </Panel>
  );
}

function Opened({ id }: { id: string }) {
  const { data: session } = useQuery(sessionQuery);
  const mayRead = may(session, 'investigations:read');
  const { data } = useQuery({ ...investigationOfQuery(id), enabled: mayRead });
  if (!mayRead) return <p className="text-ink-soft">One was started, but you do not have access to it.</p>;
  return (
    <div className="flex flex-col gap-2">
      {data && (
        <div>
          <StatusBadge status={data.status} />
        </div>
      )}
      <Link
        to="/investigation/$investigationId"
        params={{ investigationId: id }}
        className="line-clamp-3 font-medium break-words text-accent underline"
      >
        {data?.query ?? 'Open the investigation'}
      </Link>
      {data?.report && (
        <p className="line-clamp-6 text-sm break-words">{data.report.root_cause?.statement ?? data.report.summary}</p>
      )}
    </div>
  );
}
