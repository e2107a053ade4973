/** One finding: what is wrong, what came of it, the evidence, and who was notified. */
import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { PageFailed } from '../../app/fallbacks.tsx';
import { PageHead, Panel } from '../../components/ui/panel.tsx';
import { Loading } from '../../components/ui/states.tsx';
import { FindingActs } from './act.tsx';
import { Details } from './details.tsx';
import { Evidence } from './evidence.tsx';
import { FindingFacts } from './facts.tsx';
import { CareBadges, FindingStatusBadge, SeverityBadge } from './marks.tsx';
import { Notifications } from './notifications.tsx';
import { Observed } from './observed.tsx';
import { findingQuery } from './queries.ts';
import { Outcome } from './outcome.tsx';
import { Timeline } from './timeline.tsx';

const route = getRouteApi('/signed-in/finding/$findingId');

export function FindingPage() {
  const { findingId } = route.useParams();
  const { data: finding, isPending, error, refetch } = useQuery(findingQuery(findingId));
  if (isPending) return <Loading lines={8} />;
  if (!finding)
    return (
      <PageFailed
        title="Finding"
        what="findings"
        scope="monitoring:read"
        error={error}
        onRetry={() => void refetch()}
      />
    );
  const { title, severity, status, summary, judgement, details } = finding;
  return (
    <>
      <title>{`${title.slice(0, 200)} · Casebook`}</title>
      <nav aria-label="Breadcrumb" className="pb-1 text-sm">
        <Link to="/findings" className="text-ink-soft hover:text-accent">
          Findings
        </Link>
      </nav>
      <PageHead
        title={
          <span className="line-clamp-4" title={title.slice(0, 1_000)}>
            <bdi>{title}</bdi>
          </span>
        }
        description={
          <span className="flex flex-wrap gap-1.5">
            <SeverityBadge severity={severity} />
            <FindingStatusBadge status={status} />
            <CareBadges {...finding} />
          </span>
        }
      />
      <div className="grid gap-4 lg:grid-cols-[minmax(0,3fr)_minmax(0,2fr)]">
        <div className="flex min-w-0 flex-col gap-4">
          <Panel title="Observed">
            <p className="break-words whitespace-pre-wrap">{summary}</p>
            {/* An alert says nothing else. */}
            {finding.origin !== 'alert' && <Observed finding={finding} />}
          </Panel>
          <Outcome finding={finding} />
          {judgement !== null && (
            <Panel title="Model review">
              <p className="pb-1 font-medium break-words">{judgement.title}</p>
              <p className="break-words whitespace-pre-wrap">{judgement.reason}</p>
              <p className="pt-2 text-sm text-ink-soft">
                {judgement.worth_telling ? 'Worth reporting' : 'Not worth reporting'}, according to {judgement.model}.
              </p>
            </Panel>
          )}
          {finding.evidence.length > 0 && (
            <Panel title="Evidence">
              <Evidence evidence={finding.evidence} />
            </Panel>
          )}
          <Panel title="Timeline">
            <Timeline entries={finding.timeline} />
          </Panel>
          <Panel title="Notifications">
            <Notifications notifications={finding.notifications} />
          </Panel>
        </div>
        <div className="flex min-w-0 flex-col gap-4">
          <FindingActs finding={finding} />
          <FindingFacts finding={finding} />
          {Object.keys(details).length > 0 && (
            <Panel title="Alert details">
              <Details details={details} />
            </Panel>
          )}
        </div>
      </div>
    </>
  );
}
