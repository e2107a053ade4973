import { Info, TriangleAlert } from 'lucide-react';
import { Panel } from '../../../components/ui/panel.tsx';
import { Prose } from '../evidence/prose.tsx';
import type { Investigation, Report } from '../queries.ts';
import { Coverage } from './coverage.tsx';
import { Hypotheses } from './hypotheses.tsx';
import { limitWords } from '../../../components/ui/limit-words.ts';
import { Judgement } from './judgement.tsx';
import { RootCause } from './root-cause.tsx';
import { Similar } from './similar.tsx';
import { Timeline } from './timeline.tsx';
import { UnverifiedClaims } from './unverified-claims.tsx';

/** The report, most important part first. */
export function ReportView({ investigation, report }: { investigation: Investigation; report: Report }) {
  const { limit_reached, explanation, status, hypotheses, coverage } = investigation;
  const { recommended_change: change } = report;
  return (
    <>
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
      <RootCause report={report} />
      <Panel title="Summary">
        <Prose text={report.summary} />
      </Panel>
      <div className="grid gap-4 xl:grid-cols-2">
        <Panel title="Impact">
          <Prose text={report.impact} />
        </Panel>
        <Panel title="Recommended change">
          <div className="font-medium">
            <Prose text={change.summary} />
          </div>
          {change.details !== undefined && change.details !== '' && (
            <div className="mt-2">
              <Prose text={change.details} />
            </div>
          )}
        </Panel>
      </div>
      <Hypotheses hypotheses={hypotheses} />
      <Timeline events={report.timeline} />
      {coverage !== null && <Coverage coverage={coverage} />}
      <Similar id={investigation.id} />
      <Judgement investigation={investigation} />
      <UnverifiedClaims claims={report.unverified_claims} />
    </>
  );
}
