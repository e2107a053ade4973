/** What came of a finding, step by step: its investigation, the change that was proposed, and how it ended. */
import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { lazy, Suspense, type ReactNode } from 'react';
import { may, sessionQuery } from '../../api/session.ts';
import { Badge } from '../../components/ui/badge.tsx';
import { Panel } from '../../components/ui/panel.tsx';
import { Failed, Loading } from '../../components/ui/states.tsx';
import { Time } from '../../components/ui/time.tsx';
import { citedCall } from '../investigation/evidence/citation-order.ts';
import { confidenceWords } from '../investigation/report/confidence.ts';
import { outcomeOf } from '../investigations/outcome.ts';
import { FindingStatusBadge } from './marks.tsx';
import { investigationOfQuery, type Finding, type StartedInvestigation } from './queries.ts';

const Markdown = lazy(async () => ({ default: (await import('../../components/markdown/markdown.tsx')).Markdown }));

export const Outcome = ({ finding }: { finding: Finding }) => (
  <Panel title="Outcome">
    <ol className="flex flex-col gap-4 border-l-2 pl-4">
      <Investigated finding={finding} />
      <Step title="Status" mark={<FindingStatusBadge status={finding.status} />}>
        <Standing finding={finding} />
      </Step>
    </ol>
  </Panel>
);

function Step({ title, mark, children }: { title: string; mark?: ReactNode; children?: ReactNode }) {
  return (
    <li className="flex min-w-0 flex-col gap-1">
      <div className="flex flex-wrap items-center gap-2">
        <h3 className="text-sm font-medium text-ink-soft">{title}</h3>
        {mark}
      </div>
      {children}
    </li>
  );
}

/** Since when it lasts, or how it ended. */
function Standing({
  finding: { opened_at: opened, resolved_at: resolved, closed_at: closed, closed_by: by },
}: {
  finding: Finding;
}) {
  return (
    <p className="text-sm break-words">
      {opened === null ? (
        'Not confirmed by enough consecutive runs.'
      ) : (
        <>
          Opened <Time at={opened} />
        </>
      )}
      {resolved !== null && (
        <>
          , resolved <Time at={resolved} />
        </>
      )}
      {closed !== null && (
        <>
          , closed{' '}
          {by !== null && (
            <>
              by <bdi>{by}</bdi>{' '}
            </>
          )}
          <Time at={closed} />
        </>
      )}
    </p>
  );
}

function Investigated({ finding: { investigation, on_finding: actions } }: { finding: Finding }) {
  const { data: session } = useQuery(sessionQuery);
  const mayRead = may(session, 'investigations:read');
  if (investigation === null || !mayRead) {
    return (
      <Step title="Investigation">
        <p className="text-sm text-ink-soft">
          {investigation !== null
            ? 'Started, but you do not have access to it.'
            : actions.includes('investigate')
              ? 'Not started.'
              : 'Not started: the check only notifies.'}
        </p>
      </Step>
    );
  }
  return <Started id={investigation.id} />;
}

function Started({ id }: { id: string }) {
  const { data, error, refetch } = useQuery(investigationOfQuery(id));
  const link = (
    <Link
      to="/investigation/$investigationId"
      params={{ investigationId: id }}
      className="font-medium wrap-anywhere text-accent underline"
    >
      <bdi>{data?.alert_summary ?? 'Open investigation'}</bdi>
    </Link>
  );
  if (data === undefined) {
    return (
      <Step title="Investigation">
        {link}
        {error === null ? <Loading lines={2} /> : <Failed error={error} onRetry={() => void refetch()} />}
      </Step>
    );
  }
  const { status, report, judgement } = data;
  const cause = report?.root_cause;
  const { title, tone, value } = outcomeOf({ status, root_cause_service: cause?.service ?? null });
  return (
    <>
      <Step
        title="Investigation"
        mark={
          <>
            <Badge tone={tone} live={value === 'processing'}>
              {title}
            </Badge>
            {report && value === 'cause_found' && (
              <span className="text-sm text-ink-soft">
                {confidenceWords(report.confidence).words}, {Math.round(report.confidence * 100)} %
              </span>
            )}
            {judgement !== null && <Badge tone={judgement === 'right' ? 'good' : 'bad'}>Judged {judgement}</Badge>}
          </>
        }
      >
        {link}
        {report && cause && <Said investigation={data} text={cause.statement} />}
      </Step>
      {report && (
        <Step title={value === 'cause_found' ? 'Proposed change' : 'Next step'}>
          <Said investigation={data} text={report.recommended_change.summary} />
          <Link
            to="/investigation/$investigationId"
            params={{ investigationId: id }}
            search={{ tab: 'fix' }}
            className="w-fit text-sm text-accent underline"
          >
            Open in the investigation
          </Link>
        </Step>
      )}
    </>
  );
}

/** A text of the report, whose citations lead to its evidence. */
function Said({
  investigation: { id, citations, steps },
  text,
}: {
  investigation: StartedInvestigation;
  text: string;
}) {
  const navigate = useNavigate();
  return (
    <div className="max-h-60 min-w-0 overflow-y-auto text-sm">
      <Suspense fallback={<p className="break-words">{text}</p>}>
        <Markdown
          text={text}
          headingOffset={3}
          citations={new Map(citations.map((one) => [one.n, citedCall({ steps }, one)?.summary ?? 'missing evidence']))}
          onCitation={(citation) =>
            void navigate({
              to: '/investigation/$investigationId',
              params: { investigationId: id },
              search: { citation },
            })
          }
        />
      </Suspense>
    </div>
  );
}
