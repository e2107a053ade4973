import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { may, sessionQuery } from '../../api/session.ts';
import { PageFailed } from '../../app/fallbacks.tsx';
import { PageHead } from '../../components/ui/panel.tsx';
import { Loading } from '../../components/ui/states.tsx';
import { Tabs } from '../../components/ui/tabs.tsx';
import { AgentActions } from './agent-actions.tsx';
import { AgentFindings } from './agent-findings.tsx';
import { HealthBadge } from './health.tsx';
import { Overview } from './overview/overview.tsx';
import { PlanTab } from './plan/plan-tab.tsx';
import { agentQuery } from './queries.ts';
import { Sessions } from './sessions/sessions.tsx';
import { Settings } from './settings/settings.tsx';

const route = getRouteApi('/signed-in/monitoring/$agentId');

export function MonitoringAgentPage() {
  const { agentId } = route.useParams();
  const { tab = 'overview' } = route.useSearch();
  const navigate = route.useNavigate();
  const { data: session } = useQuery(sessionQuery);
  const { data: agent, error, refetch, isPending } = useQuery(agentQuery(agentId));
  if (isPending) return <Loading lines={8} />;
  if (!agent)
    return (
      <PageFailed title="Agent" what="agents" scope="monitoring:read" error={error} onRetry={() => void refetch()} />
    );
  const mayWrite = may(session, 'monitoring:write');
  const tabs = [
    { value: 'overview', title: 'Overview', content: <Overview agent={agent} mayWrite={mayWrite} /> },
    { value: 'plan', title: 'Plan', content: <PlanTab agentId={agentId} mayWrite={mayWrite} /> },
    { value: 'sessions', title: 'Sessions', content: <Sessions agentId={agentId} /> },
    { value: 'findings', title: 'Findings', content: <AgentFindings agentId={agentId} /> },
    { value: 'settings', title: 'Settings', content: <Settings agentId={agentId} mayWrite={mayWrite} /> },
  ];
  return (
    <>
      <title>{`${agent.title} · Casebook`}</title>
      <nav aria-label="Breadcrumb" className="pb-1 text-sm">
        <Link to="/monitoring" className="text-ink-soft hover:text-accent">
          Agents
        </Link>
      </nav>
      <PageHead
        title={
          <span className="line-clamp-3" title={agent.title}>
            <bdi>{agent.title}</bdi>
          </span>
        }
        description={<HealthBadge agent={agent} />}
        actions={mayWrite && <AgentActions agent={agent} />}
      />
      <Tabs
        label="Agent sections"
        // An unsaved plan keeps its tab open, so return the focus from the other tab.
        isManual
        value={tabs.some(({ value }) => value === tab) ? tab : 'overview'}
        // Another tab's filters mean nothing here.
        onValueChange={(value) => void navigate({ search: value === 'overview' ? {} : { tab: value } })}
        tabs={tabs}
      />
    </>
  );
}
