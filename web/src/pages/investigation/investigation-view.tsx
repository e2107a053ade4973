import { useCallback, useMemo } from 'react';
import { Announcement } from './announcement.tsx';
import { EvidenceContext } from './evidence/evidence-context.ts';
import { EvidencePanel } from './evidence/evidence-panel.tsx';
import { inOrder, verifiedNumbers } from './evidence/citation-order.ts';
import { useOpenEvidence } from './evidence/use-open-evidence.ts';
import { Head } from './head.tsx';
import { Facts } from './facts.tsx';
import { phaseOf, stepViews } from './live/run-view.ts';
import { useLiveRun } from './live/use-live-run.ts';
import { Messages } from './messages/messages.tsx';
import { EvidenceList } from './report/evidence-list.tsx';
import { NoReport } from './report/no-report.tsx';
import { ReportView } from './report/report-view.tsx';
import type { Investigation } from './queries.ts';
import { Plan } from './steps/plan.tsx';
import { Steps } from './steps/steps.tsx';

export function InvestigationView({ investigation }: { investigation: Investigation }) {
  const { id, status, steps, report, citations } = investigation;
  const isRunning = status === 'processing';
  const { run, state } = useLiveRun(id, isRunning);
  const { open, ...shown } = useOpenEvidence();

  const views = useMemo(() => stepViews(steps, run), [steps, run]);
  const openCitation = useCallback((n: number) => open({ citation: n }), [open]);
  const openCall = useCallback((call: string) => open({ call }), [open]);
  const evidence = useMemo(
    () => ({
      numbers: new Set(inOrder(citations).map(({ n }) => n)),
      verified: verifiedNumbers(citations),
      openCitation,
      openCall,
    }),
    [citations, openCitation, openCall],
  );

  return (
    <EvidenceContext value={evidence}>
      <Head investigation={investigation} />
      <Announcement investigation={investigation} />
      <div className="grid gap-4 lg:grid-cols-[minmax(0,1fr)_19rem] lg:gap-6">
        <div className="flex min-w-0 flex-col gap-4">
          {report !== null && <ReportView investigation={investigation} report={report} />}
          {report === null && !isRunning && <NoReport investigation={investigation} />}
          <Steps
            steps={views}
            phase={isRunning ? phaseOf(investigation, views) : undefined}
            connection={state}
            isAside={report !== null}
          />
        </div>
        <aside aria-label="About this investigation" className="flex min-w-0 flex-col gap-4">
          <Facts investigation={investigation} />
          {report !== null && <EvidenceList investigation={investigation} />}
          <Plan items={(isRunning ? run.plan : null) ?? investigation.plan} />
          <Messages investigation={investigation} />
        </aside>
      </div>
      <EvidencePanel investigation={investigation} {...shown} />
    </EvidenceContext>
  );
}
