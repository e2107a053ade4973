import { clsx } from 'clsx';
import { useCallback, useMemo, useState } from 'react';
import { Announcement } from './announcement.tsx';
import { EvidencePanel } from '../../components/evidence/evidence-panel.tsx';
import { EvidenceContext } from './evidence/evidence-context.ts';
import { verifiedNumbers } from './evidence/citation-order.ts';
import { besides, evidenceOf } from './evidence/evidence-of.ts';
import { useOpenEvidence } from './evidence/use-open-evidence.ts';
import { Head } from './head.tsx';
import { RunFacts } from './facts.tsx';
import { KeepPlace } from './keep-place.tsx';
import { phaseOf, stepViews } from './live/run-view.ts';
import { useLiveRun } from './live/use-live-run.ts';
import { Messages } from './messages/messages.tsx';
import { EvidenceList } from './report/evidence-list.tsx';
import { NoReport } from './report/no-report.tsx';
import { Near } from './near.tsx';
import { ReportView } from './report/report-view.tsx';
import type { Investigation } from './queries.ts';
import { ServicesPanel } from './services/services-panel.tsx';
import { Plan } from './steps/plan.tsx';
import { Steps } from './steps/steps.tsx';

export function InvestigationView({ investigation }: { investigation: Investigation }) {
  const { id, status, steps, report, citations } = investigation;
  const isRunning = status === 'processing';
  const { run, state } = useLiveRun(id, isRunning);
  const { opened, open, turnTo, close } = useOpenEvidence();

  const views = useMemo(() => stepViews(steps, run), [steps, run]);
  const openCitation = useCallback((n: number) => open({ citation: n }), [open]);
  const openCall = useCallback((call: string) => open({ call }), [open]);
  const evidence = useMemo(
    () => ({
      numbers: new Set(citations.map(({ n }) => n)),
      verified: verifiedNumbers(citations),
      openCitation,
      openCall,
    }),
    [citations, openCitation, openCall],
  );

  // Steps that were being watched keep their width and expansion, so that readers keep their place.
  const [wasWatched, setWasWatched] = useState(isRunning);
  if (isRunning && !wasWatched) setWasWatched(true);
  const hasReport = report !== null;
  // The key keeps its state when it moves down. Reading order equals visual order.
  const stepsPart = (
    <div key="steps" className={clsx('min-w-0', hasReport && !wasWatched ? 'lg:col-span-2' : 'lg:col-start-1')}>
      <KeepPlace on={isRunning}>
        <Steps
          steps={views}
          phase={isRunning ? phaseOf(investigation, views) : undefined}
          connection={state}
          isFolded={hasReport && !wasWatched}
        />
      </KeepPlace>
    </div>
  );

  return (
    <EvidenceContext value={evidence}>
      <Head investigation={investigation} />
      <Announcement investigation={investigation} />
      <div className="grid gap-4 lg:grid-cols-[minmax(0,1fr)_19rem] lg:gap-x-6">
        {!isRunning && (
          <div className="flex min-w-0 flex-col gap-4">
            {report === null ? (
              <NoReport investigation={investigation} />
            ) : (
              <ReportView investigation={investigation} report={report} />
            )}
          </div>
        )}
        {!hasReport && stepsPart}
        <aside
          // Of the two that swap places, the steps stay put in the document, since someone may be reading them.
          key={hasReport ? 'about-report' : 'about-run'}
          aria-label="About this investigation"
          className={clsx('flex min-w-0 flex-col gap-4 lg:col-start-2 lg:row-start-1', hasReport || 'lg:row-span-2')}
        >
          <RunFacts investigation={investigation} />
          {hasReport && <EvidenceList investigation={investigation} />}
          <Plan items={(isRunning ? run.plan : null) ?? investigation.plan} />
          <Messages investigation={investigation} />
        </aside>
        {hasReport && (
          <div className="min-w-0 lg:col-span-2">
            <Near minHeight={560}>
              <ServicesPanel id={id} />
            </Near>
          </div>
        )}
        {hasReport && stepsPart}
      </div>
      <EvidencePanel
        evidence={evidenceOf(investigation, opened)}
        onClose={close}
        before={besides(investigation, opened, -1)}
        after={besides(investigation, opened, 1)}
        turnTo={turnTo}
      />
    </EvidenceContext>
  );
}
