import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { useCallback } from 'react';
import { may, sessionQuery } from '../../api/session.ts';
import { Filter } from '../../components/ui/filter.tsx';
import { count } from '../../components/ui/numbers.ts';
import { PageHead } from '../../components/ui/panel.tsx';
import { SearchField } from '../../components/ui/search-field.tsx';
import { Empty, Failed, Loading } from '../../components/ui/states.tsx';
import { Time } from '../../components/ui/time.tsx';
import { countByAgent, type SeverityCounts } from '../findings/counts.ts';
import { OpenFindings } from '../findings/marks.tsx';
import { findingsQuery } from '../findings/queries.ts';
import { Due } from './due.tsx';
import { AGENT_STATUSES, HealthBadge, Reasons } from './health.tsx';
import { NewAgent } from './new-agent.tsx';
import { agentsQuery, isDrafting, type Agent } from './queries.ts';

const route = getRouteApi('/signed-in/monitoring');

export function MonitoringPage() {
  const { q = '', status } = route.useSearch();
  const navigate = route.useNavigate();
  const { data: session } = useQuery(sessionQuery);
  const agents = useQuery(agentsQuery);
  const open = useQuery(findingsQuery({ status: 'open', count: 100 }));
  const counts = countByAgent(open.data?.findings ?? []);
  const wanted = AGENT_STATUSES.find(({ value }) => value === status)?.value;
  const words = q.trim().toLowerCase();
  const shown = agents.data?.chats.filter(
    (agent) =>
      (wanted === undefined || agent.status === wanted) &&
      `${agent.title} ${agent.summary}`.toLowerCase().includes(words),
  );
  const onSearch = useCallback(
    (text: string) => void navigate({ search: (now) => ({ ...now, q: text || undefined }), replace: true }),
    [navigate],
  );
  return (
    <>
      <title>Agents · Casebook</title>
      <PageHead
        title="Agents"
        description="Agents watch your systems around the clock and investigate what they find."
      />
      <div className="flex flex-col gap-6">
        {may(session, 'monitoring:write') && <NewAgent />}
        <section aria-labelledby="agents">
          <h2 id="agents" className="mb-3 text-lg font-semibold">
            All agents
          </h2>
          {agents.isPending && <Loading lines={4} />}
          {agents.isError && <Failed error={agents.error} onRetry={() => void agents.refetch()} />}
          {agents.data?.chats.length === 0 && (
            <Empty title="No agents yet">Describe above what to watch: an agent drafts a plan for it.</Empty>
          )}
          {agents.data && agents.data.chats.length > 0 && (
            <div className="mb-3 flex flex-wrap items-center justify-between gap-2">
              <Filter
                label="Status"
                value={wanted}
                options={AGENT_STATUSES}
                onFilter={(to) => void navigate({ search: (now) => ({ ...now, status: to }) })}
              />
              <SearchField label="Search agents" value={q} onSearch={onSearch} />
            </div>
          )}
          {shown?.length === 0 && agents.data?.chats.length !== 0 && <Empty title="No matching agents" />}
          <ul className="grid gap-3 lg:grid-cols-2">
            {shown?.map((agent) => (
              <AgentCard key={agent.chat_id} agent={agent} counts={counts.get(agent.chat_id) ?? {}} />
            ))}
          </ul>
        </section>
      </div>
    </>
  );
}

function AgentCard({ agent, counts }: { agent: Agent; counts: SeverityCounts }) {
  return (
    <li className="relative flex min-w-0 flex-col gap-2 rounded-lg border bg-surface p-4 focus-within:border-line-strong hover:border-line-strong">
      <div className="flex items-start gap-3">
        <h3 className="min-w-0 flex-1 font-semibold">
          <Link
            to="/monitoring/$agentId"
            params={{ agentId: agent.chat_id }}
            className="line-clamp-2 break-words hover:text-accent after:absolute after:inset-0 after:rounded-lg"
          >
            <bdi>{agent.title}</bdi>
          </Link>
        </h3>
        <HealthBadge agent={agent} />
      </div>
      <p className="line-clamp-2 text-sm break-words text-ink-soft">
        {isDrafting(agent) ? 'Drafting the plan…' : agent.summary || 'No summary'}
      </p>
      <Reasons reasons={agent.reasons.slice(0, 2)} clamped />
      {agent.notification_error !== null && (
        <p className="line-clamp-2 text-sm break-words text-bad">
          Last notification not delivered: {agent.notification_error}
        </p>
      )}
      <div className="mt-auto flex flex-col gap-1.5 pt-1">
        <OpenFindings total={agent.open_findings} counts={counts} />
        <p className="flex flex-wrap gap-x-3 text-sm text-ink-soft">
          <span>{count(agent.checks, 'check')}</span>
          <span>
            {agent.last_result_at === null ? (
              'No result yet'
            ) : (
              <>
                Last result <Time at={agent.last_result_at} />
              </>
            )}
          </span>
          {agent.next_due_at !== null && <Due at={agent.next_due_at} word="Next" />}
        </p>
      </div>
    </li>
  );
}
