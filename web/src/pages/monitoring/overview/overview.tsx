/** How an agent is doing, what it watches, and what it saw last. */
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { ExternalLink } from 'lucide-react';
import { may, sessionQuery } from '../../../api/session.ts';
import { Fact, Facts } from '../../../components/ui/facts.tsx';
import { Panel } from '../../../components/ui/panel.tsx';
import { Failed, Loading } from '../../../components/ui/states.tsx';
import { Time } from '../../../components/ui/time.tsx';
import { FindingList } from '../../findings/finding-list.tsx';
import { Due } from '../due.tsx';
import { Reasons } from '../health.tsx';
import { isDrafting, planQuery, sessionsQuery, type Agent } from '../queries.ts';
import { SessionList } from '../sessions/session-list.tsx';
import { Checks } from './checks.tsx';
import { Composer } from './composer.tsx';

const MORE = 'text-sm font-medium text-accent hover:underline';

export function Overview({ agent, mayWrite }: { agent: Agent; mayWrite: boolean }) {
  const { chat_id: agentId } = agent;
  const plan = useQuery(planQuery(agentId));
  const sessions = useQuery(sessionsQuery(agentId, { count: 5 }));
  return (
    <div className="grid gap-4 lg:grid-cols-[minmax(0,3fr)_minmax(0,2fr)]">
      <div className="flex min-w-0 flex-col gap-4">
        {agent.reasons.length > 0 && (
          <Panel title="Some checks can’t run">
            <Reasons reasons={agent.reasons} />
          </Panel>
        )}
        <Panel
          title="Checks"
          actions={
            <Link to="." search={{ tab: 'plan' }} className={MORE}>
              {mayWrite ? 'Edit plan' : 'View plan'}
            </Link>
          }
        >
          {isDrafting(agent) ? (
            <p role="status" className="text-ink-soft">
              The agent is reading the available telemetry and drafting its plan, which will appear here.
            </p>
          ) : (
            <>
              {agent.summary !== '' && <p className="pb-3 break-words">{agent.summary}</p>}
              {plan.isPending && <Loading />}
              {plan.isError && <Failed error={plan.error} onRetry={() => void plan.refetch()} />}
              {plan.data && <Checks plan={plan.data} mayRun={mayWrite && agent.active} />}
            </>
          )}
        </Panel>
        <Panel
          title="Latest sessions"
          actions={
            <Link to="." search={{ tab: 'sessions' }} className={MORE}>
              All sessions
            </Link>
          }
        >
          {sessions.isPending && <Loading />}
          {sessions.isError && <Failed error={sessions.error} onRetry={() => void sessions.refetch()} />}
          {sessions.data && <SessionList sessions={sessions.data.sessions} />}
        </Panel>
      </div>
      <div className="flex min-w-0 flex-col gap-4">
        {mayWrite && <Composer key={agentId} agentId={agentId} />}
        <Panel
          title="Latest findings"
          actions={
            <Link to="." search={{ tab: 'findings' }} className={MORE}>
              All findings
            </Link>
          }
        >
          <FindingList filter={{ agent: agentId, count: 5 }} headingLevel={3} isShort />
        </Panel>
        <AgentFacts agent={agent} mayWrite={mayWrite} />
      </div>
    </div>
  );
}

function AgentFacts({ agent, mayWrite }: { agent: Agent; mayWrite: boolean }) {
  const { data: session } = useQuery(sessionQuery);
  const { last_result_at: last, next_due_at: next, notification_channel: channel } = agent;
  return (
    <Panel title="Details">
      <Facts>
        <Fact name="Created">
          <Time at={agent.created_at} />
        </Fact>
        <Fact name="Last result">{last === null ? 'None yet' : <Time at={last} />}</Fact>
        <Fact name="Next check">
          {next === null ? agent.active ? 'Unknown' : 'None while paused' : <Due at={next} />}
        </Fact>
        <Fact name="Plan version">{agent.plan_version}</Fact>
        <Fact name="Channel">
          {channel?.label ?? (
            <>
              No channel configured.{' '}
              {mayWrite && (
                <Link to="." search={{ tab: 'settings' }} className="text-accent underline">
                  Configure channel
                </Link>
              )}
            </>
          )}
        </Fact>
        {agent.notification_error !== null && (
          <Fact name="Notifications" className="text-bad">
            Last one not delivered: {agent.notification_error}
          </Fact>
        )}
        {may(session, 'chats:read') && (
          <Fact name="Conversation">
            <Link to="/chat/$chatId" params={{ chatId: agent.chat_id }} className="text-accent underline">
              Open
            </Link>
          </Fact>
        )}
        <TemporalRun agent={agent} />
      </Facts>
    </Panel>
  );
}

/** The agent's run in the Temporal UI, if the installation has one. */
function TemporalRun({ agent }: { agent: Agent }) {
  const { url } = agent.temporal;
  if (url === null) return null;
  return (
    <Fact name="Workflow">
      <a href={url} target="_blank" rel="noopener noreferrer" className="inline-flex gap-1 text-accent underline">
        Open in Temporal <ExternalLink aria-hidden size={14} className="mt-1" />
      </a>
    </Fact>
  );
}
