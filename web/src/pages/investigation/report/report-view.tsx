import type { Investigation, Report } from '../queries.ts';
import { citedCall } from '../evidence/citation-order.ts';
import { momentLink } from '../share/links.ts';
import { CitedExcerpts } from './cited-excerpts.tsx';
import { Coverage } from './coverage.tsx';
import { EndedEarly } from './ended-early.tsx';
import { Hypotheses } from './hypotheses.tsx';
import { Judgement } from './judgement.tsx';
import { NextStep } from './next-step.tsx';
import { RecommendedPullRequest } from './recommended-pull-request.tsx';
import { RootCause } from './root-cause.tsx';
import { Similar } from './similar.tsx';
import { Situation } from './situation.tsx';
import { Timeline } from './timeline.tsx';
import { UnverifiedClaims } from './unverified-claims.tsx';
import { Why } from './why.tsx';

export interface ReportViewProps {
  investigation: Investigation;
  report: Report;
  /** The entry of the timeline that the address points to, from 1. */
  moment?: number | undefined;
}

/** The report in the order in which somebody paged at night asks: what, why, what now, and how sure. */
export function ReportView({ investigation, report, moment }: ReportViewProps) {
  const { id, limit_reached, explanation, status, hypotheses, coverage, citations } = investigation;
  const cited = citations.map((one) => ({ ...one, summary: citedCall(investigation, one)?.summary ?? null }));
  return (
    <div className="flex flex-col gap-4">
      <EndedEarly status={status} limit={limit_reached} explanation={explanation} />
      <Situation report={report} />
      <RootCause report={report} />
      <NextStep change={report.recommended_change} />
      <RecommendedPullRequest id={id} report={report} />
      <Why investigation={investigation} report={report} />
      <Hypotheses hypotheses={hypotheses} />
      <Timeline events={report.timeline} linkTo={(n) => momentLink(id, n)} moment={moment} />
      {coverage !== null && <Coverage coverage={coverage} />}
      <div className="contents print:hidden">
        <Similar id={id} />
        <Judgement investigation={investigation} />
      </div>
      <UnverifiedClaims claims={report.unverified_claims} />
      {/* On paper, no citation can be opened. */}
      <div className="hidden print:block">
        <CitedExcerpts citations={cited} />
      </div>
    </div>
  );
}
