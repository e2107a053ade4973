/** A report that somebody shared: what anyone with the link may read, without signing in. */
import { useQuery } from '@tanstack/react-query';
import { useLocation } from '@tanstack/react-router';
import { useMemo } from 'react';
import { ApiError } from '../../../api/client.ts';
import { PageHead, Panel } from '../../../components/ui/panel.tsx';
import { Failed, Loading } from '../../../components/ui/states.tsx';
import { Time, wholeTime } from '../../../components/ui/time.tsx';
import { verifiedNumbers } from '../evidence/citation-order.ts';
import { EvidenceContext } from '../evidence/evidence-context.ts';
import { Prose } from '../evidence/prose.tsx';
import { citationId, CitedExcerpts } from '../report/cited-excerpts.tsx';
import { Coverage } from '../report/coverage.tsx';
import { EndedEarly } from '../report/ended-early.tsx';
import { Hypotheses } from '../report/hypotheses.tsx';
import { NextStep } from '../report/next-step.tsx';
import { RootCause } from '../report/root-cause.tsx';
import { Situation } from '../report/situation.tsx';
import { Timeline } from '../report/timeline.tsx';
import { UnverifiedClaims } from '../report/unverified-claims.tsx';
import { sharedQuery, type SharedReport } from './queries.ts';

export function SharedPage() {
  // It stays in the address, for bookmarks and reloads; no server sees this part.
  const token = useLocation({ select: ({ hash }) => hash });
  const { data, error, refetch } = useQuery({ ...sharedQuery(token), enabled: token !== '' });
  return (
    <main id="main" className="mx-auto max-w-4xl p-4 md:p-6">
      {data !== undefined && error === null ? (
        <Shared shared={data} />
      ) : token === '' || (error instanceof ApiError && [404, 422].includes(error.status)) ? (
        <Gone />
      ) : error === null ? (
        <Loading lines={8} />
      ) : (
        <>
          <title>Shared report · Casebook</title>
          <PageHead title="Shared report" />
          <Failed error={error} onRetry={() => void refetch()} />
        </>
      )}
    </main>
  );
}

function Gone() {
  return (
    <>
      <title>Link does not work · Casebook</title>
      <PageHead
        title="This link does not work"
        description="It has expired, was revoked, or is incomplete. Ask whoever sent it for a new one."
      />
    </>
  );
}

function Shared({ shared }: { shared: SharedReport }) {
  const { title, report, citations, hypotheses, coverage } = shared;
  const evidence = useMemo(
    () => ({
      labels: new Map(citations.map(({ n, tool }) => [n, tool ?? 'missing evidence'])),
      verified: verifiedNumbers(citations),
      openCitation: (n: number) => document.getElementById(citationId(n))?.focus(),
      openCall: () => undefined,
    }),
    [citations],
  );
  return (
    <EvidenceContext value={evidence}>
      <title>{`${title} · Casebook`}</title>
      <p className="mb-3 text-sm text-ink-soft">
        Read-only report shared from Casebook · expires {wholeTime(new Date(shared.expires_at))}
      </p>
      <PageHead
        title={<bdi>{title}</bdi>}
        description={
          <span className="text-sm">
            Started <Time at={shared.created_at} />
          </span>
        }
      />
      <div className="flex flex-col gap-4">
        <EndedEarly status={shared.status} limit={shared.limit_reached} />
        <Situation report={report} />
        <RootCause report={report} isPublic />
        <NextStep change={report.recommended_change} />
        <Panel title="Why">
          <Prose text={report.summary} />
        </Panel>
        <Hypotheses hypotheses={hypotheses} />
        <Timeline events={report.timeline} />
        {coverage !== null && <Coverage coverage={coverage} />}
        <UnverifiedClaims claims={report.unverified_claims} />
        <CitedExcerpts citations={citations} />
      </div>
    </EvidenceContext>
  );
}
