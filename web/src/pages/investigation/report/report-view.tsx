import { Info, TriangleAlert } from 'lucide-react';
import type { Investigation, Report } from '../queries.ts';
import { Coverage } from './coverage.tsx';
import { Hypotheses } from './hypotheses.tsx';
import { limitWords } from '../../../components/ui/limit-words.ts';
import { Judgement } from './judgement.tsx';
import { NextStep } from './next-step.tsx';
import { RootCause } from './root-cause.tsx';
import { Similar } from './similar.tsx';
import { Situation } from './situation.tsx';
import { Timeline } from './timeline.tsx';
import { UnverifiedClaims } from './unverified-claims.tsx';
import { Why } from './why.tsx';

/** The report in the order in which somebody paged at night asks: what, why, what now, and how sure. */
export function ReportView({ investigation, report }: { investigation: Investigation; report: Report }) {
  const { limit_reached, explanation, status, hypotheses, coverage } = investigation;
  return (
    <div className="flex flex-col gap-4">
      {limit_reached !== null && (
        <p className="flex gap-2.5 rounded-lg border border-warn bg-warn-soft px-4 py-3 text-warn">
          <TriangleAlert aria-hidden size={18} className="mt-0.5 shrink-0" />
          <span className="min-w-0 break-words">
            <strong className="font-semibold">Ended early</strong> because {limitWords(limit_reached)}. This is the best
            report so far. {explanation}
          </span>
        </p>
      )}
      {status !== 'completed' && (
        <p className="flex gap-2.5 rounded-lg border px-4 py-3">
          <Info aria-hidden size={18} className="mt-0.5 shrink-0" />
          <span>It submitted this report before it {status === 'failed' ? 'failed' : 'was cancelled'}.</span>
        </p>
      )}
      <Situation report={report} />
      <RootCause report={report} />
      <NextStep change={report.recommended_change} />
      <Why investigation={investigation} report={report} />
      <Hypotheses hypotheses={hypotheses} />
      <Timeline events={report.timeline} />
      {coverage !== null && <Coverage coverage={coverage} />}
      <Similar id={investigation.id} />
      <Judgement investigation={investigation} />
      <UnverifiedClaims claims={report.unverified_claims} />
    </div>
  );
}
