import { getRouteApi } from '@tanstack/react-router';
import { useCallback, useEffect, useMemo, useState } from 'react';
import { flushSync } from 'react-dom';
import { Announcement } from './announcement.tsx';
import { EvidencePanel } from '../../components/evidence/evidence-panel.tsx';
import { Tabs } from '../../components/ui/tabs.tsx';
import { Activity } from './activity.tsx';
import { EvidenceContext } from './evidence/evidence-context.ts';
import { citedCall, verifiedNumbers } from './evidence/citation-order.ts';
import { besides, evidenceOf } from './evidence/evidence-of.ts';
import { useOpenEvidence } from './evidence/use-open-evidence.ts';
import { Fix } from './fix.tsx';
import { Head } from './head.tsx';
import { EvidenceList } from './report/evidence-list.tsx';
import { NoReport } from './report/no-report.tsx';
import { ReportView } from './report/report-view.tsx';
import type { Investigation } from './queries.ts';
import { ServicesPanel } from './services/services-panel.tsx';

const route = getRouteApi('/signed-in/investigation/$investigationId');

export function InvestigationView({ investigation }: { investigation: Investigation }) {
  const { id, status, steps, report, citations } = investigation;
  const { tab, moment } = route.useSearch();
  const navigate = route.useNavigate();
  const isRunning = status === 'processing';
  const { opened, open, turnTo, close } = useOpenEvidence();

  const openCitation = useCallback((n: number) => open({ citation: n }), [open]);
  const openCall = useCallback((call: string) => open({ call }), [open]);
  const evidence = useMemo(
    () => ({
      labels: new Map(citations.map((one) => [one.n, citedCall({ steps }, one)?.summary ?? 'missing evidence'])),
      verified: verifiedNumbers(citations),
      openCitation,
      openCall,
    }),
    [citations, steps, openCitation, openCall],
  );

  // Whoever reads a step when the run ends stays there, and is offered the report.
  const [isWatching, setIsWatching] = useState(isRunning);
  useEffect(() => {
    if (isRunning || scrollY >= innerHeight / 2) return undefined;
    const frame = requestAnimationFrame(() => setIsWatching(false));
    return () => cancelAnimationFrame(frame);
  }, [isRunning]);

  const tabs = [
    ...(isRunning
      ? []
      : [
          {
            value: 'report',
            title: 'Report',
            content:
              report === null ? (
                <NoReport investigation={investigation} />
              ) : (
                <ReportView investigation={investigation} report={report} moment={moment} />
              ),
          },
        ]),
    ...(report === null
      ? []
      : [
          { value: 'evidence', title: 'Evidence', content: <EvidenceList investigation={investigation} /> },
          { value: 'services', title: 'Services', content: <ServicesPanel id={id} /> },
          { value: 'fix', title: 'Fix', content: <Fix id={id} report={report} /> },
        ]),
    {
      value: 'activity',
      title: 'Activity',
      content: <Activity investigation={investigation} isWatching={isWatching} />,
    },
  ];
  const usual = isRunning || isWatching ? 'activity' : 'report';
  const show = (value: string): void =>
    void navigate({ search: value === usual ? {} : { tab: value }, resetScroll: false });
  const showReport = (): void => {
    // Drawn at once, so that it can have the focus.
    flushSync(() => setIsWatching(false));
    if (tab !== undefined) void navigate({ search: {}, resetScroll: false });
    scrollTo({ top: 0, behavior: 'instant' });
    document.querySelector<HTMLElement>('#result')?.focus({ preventScroll: true });
  };
  return (
    <EvidenceContext value={evidence}>
      <Head investigation={investigation} />
      <Announcement investigation={investigation} onShow={showReport} />
      <Tabs
        label="Investigation sections"
        value={tabs.some(({ value }) => value === tab) ? (tab ?? usual) : usual}
        onValueChange={show}
        tabs={tabs}
      />
      <EvidencePanel
        evidence={evidenceOf(investigation, opened)}
        onClose={close}
        before={besides(investigation, opened, -1)}
        after={besides(investigation, opened, 1)}
        turnTo={turnTo}
        isLinked
      />
    </EvidenceContext>
  );
}
