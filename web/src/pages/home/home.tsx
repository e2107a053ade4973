/** What is wrong now, what runs, what is broken, and how to begin. */
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { CircleCheck, Circle, Hand, Unplug } from 'lucide-react';
import type { ReactNode } from 'react';
import { may, sessionQuery, type Session } from '../../api/session.ts';
import { mayListSources, sourcesQuery } from '../../components/connect-source.tsx';
import { Panel, PageHead } from '../../components/ui/panel.tsx';
import { Failed, Loading } from '../../components/ui/states.tsx';
import { Time } from '../../components/ui/time.tsx';
import { waitingApprovalsQuery } from '../chat/queries.ts';
import { chatsQuery } from '../chats/queries.ts';
import { FindingList } from '../findings/finding-list.tsx';
import { NewInvestigation } from '../investigations/new-investigation.tsx';
import { investigationsQuery } from '../investigations/queries.ts';
import { integrationsQuery } from '../integrations/queries.ts';
import { titleOf } from '../integrations/words.ts';
import { InvestigationRow } from '../investigations/row.tsx';
import { agentsQuery } from '../monitoring/queries.ts';
import { satellitesQuery } from '../satellites/queries.ts';

const SHOWN = 5;

export function HomePage() {
  const { data: session } = useQuery(sessionQuery);
  const mayStart = may(session, 'investigations:read') && may(session, 'investigations:write');
  return (
    <>
      <title>Home · Casebook</title>
      <PageHead title="Home" />
      <div className="flex flex-col gap-4">
        {session && <Onboarding session={session} />}
        {may(session, 'chats:read') && <WaitingApprovals />}
        {mayStart && <NewInvestigation />}
        <div className="grid gap-4 lg:grid-cols-2">
          {may(session, 'monitoring:read') && (
            <Panel title="Open findings" actions={<More to="/findings">All findings</More>}>
              <FindingList filter={{ status: 'open', count: SHOWN }} headingLevel={3} isShort />
            </Panel>
          )}
          {may(session, 'investigations:read') && <Investigations />}
        </div>
        {session && <BrokenConnections session={session} />}
      </div>
    </>
  );
}

const More = ({ to, children }: { to: '/findings' | '/investigations' | '/satellites'; children: ReactNode }) => (
  <Link to={to} className="text-sm text-accent underline">
    {children}
  </Link>
);

/** Running ones first, since the list is newest first and short. */
function Investigations() {
  const { data, error, refetch } = useQuery(investigationsQuery({}));
  const { data: running } = useQuery(investigationsQuery({ outcome: 'processing' }));
  const ended = (data?.items ?? []).filter(({ status }) => status !== 'processing');
  const shown = [...(running?.items ?? []), ...ended].slice(0, SHOWN);
  return (
    <Panel
      title={running?.total ? `Investigations, ${running.total} running` : 'Recent investigations'}
      actions={<More to="/investigations">All investigations</More>}
    >
      {error !== null && <Failed error={error} onRetry={() => void refetch()} />}
      {data === undefined && error === null && <Loading lines={4} />}
      {data !== undefined && shown.length === 0 && <p className="text-ink-soft">None yet.</p>}
      {shown.length > 0 && (
        <ul aria-label="Investigations" className="-m-4 divide-y">
          {shown.map((investigation) => (
            <InvestigationRow key={investigation.id} investigation={investigation} />
          ))}
        </ul>
      )}
    </Panel>
  );
}

/** Nothing while nothing waits and nothing is unknown. */
function WaitingApprovals() {
  const { data, error, refetch } = useQuery(waitingApprovalsQuery);
  if (error === null && !data?.approvals.length) return null;
  return (
    <Panel title="Waiting for approval">
      {error !== null && <Failed error={error} onRetry={() => void refetch()} />}
      <ul className="flex flex-col gap-2">
        {data?.approvals.map(({ id, conversation_id: chatId, summary, expires_at: until }) => (
          <li key={id} className="flex gap-2.5">
            <Hand aria-hidden size={16} className="mt-1 shrink-0 text-warn" />
            <span className="min-w-0 break-words">
              <Link to="/chat/$chatId" params={{ chatId }} className="line-clamp-2 font-medium underline">
                <bdi>{summary}</bdi>
              </Link>{' '}
              <span className="text-ink-soft">
                expires <Time at={until} />
              </span>
            </span>
          </li>
        ))}
      </ul>
    </Panel>
  );
}

/** Nothing while every satellite is connected, and every integration and source responds. */
function BrokenConnections({ session }: { session: Session }) {
  const maySeeSatellites = may(session, 'satellites:read');
  const satellites = useQuery({ ...satellitesQuery(session.team.id), enabled: maySeeSatellites });
  const sources = useQuery({ ...sourcesQuery, enabled: mayListSources(session) });
  const broken = (satellites.data ?? []).filter(({ status, problems }) => status !== 'online' || problems.length > 0);
  // Satellites and integrations speak for what is behind them.
  const silent = (sources.data?.sources ?? []).filter(
    ({ id, error }) => error !== null && !/^(?:satellite|integration):/u.test(id),
  );
  const integrations = useQuery({ ...integrationsQuery, enabled: may(session, 'integrations:read') });
  const lost = (integrations.data ?? []).filter(({ status }) => status === 'failing' || status === 'needs_reconnect');
  const failed = [satellites, sources, integrations].find(({ error }) => error !== null);
  if (broken.length + lost.length + silent.length === 0 && !failed) return null;
  return (
    <Panel title="Broken connections" actions={maySeeSatellites && <More to="/satellites">All satellites</More>}>
      {failed?.error && <Failed error={failed.error} onRetry={() => void failed.refetch()} />}
      <ul className="flex flex-col gap-2">
        {broken.map(({ id, name, status, problems }) => (
          <li key={id} className="flex gap-2.5">
            <Unplug aria-hidden size={16} className="mt-1 shrink-0 text-bad" />
            <span className="min-w-0 break-words">
              <Link to="/satellites/$satelliteId" params={{ satelliteId: id }} className="font-medium underline">
                {name}
              </Link>{' '}
              <span className="text-ink-soft">{problems[0] ?? `Satellite ${status}`}</span>
            </span>
          </li>
        ))}
        {lost.map((integration) => (
          <li key={integration.id} className="flex gap-2.5">
            <Unplug aria-hidden size={16} className="mt-1 shrink-0 text-bad" />
            <span className="min-w-0 break-words">
              <Link to="/integrations" className="font-medium underline">
                <bdi>{titleOf(integration)}</bdi>
              </Link>{' '}
              <span className="text-ink-soft">{integration.error ?? 'It does not answer.'}</span>
            </span>
          </li>
        ))}
        {silent.map(({ id, title, error }) => (
          <li key={id} className="flex gap-2.5">
            <Unplug aria-hidden size={16} className="mt-1 shrink-0 text-bad" />
            <span className="min-w-0 break-words">
              <span className="font-medium">{title}</span> <span className="text-ink-soft">{error}</span>
            </span>
          </li>
        ))}
      </ul>
    </Panel>
  );
}

/** The first steps of a team; gone once all are done. */
function Onboarding({ session }: { session: Session }) {
  const sees = {
    investigations: may(session, 'investigations:read'),
    chats: may(session, 'chats:read'),
    monitoring: may(session, 'monitoring:read'),
  };
  const mayInvestigate = sees.investigations && may(session, 'investigations:write');
  const sources = useQuery({ ...sourcesQuery, enabled: mayListSources(session) });
  const investigations = useQuery({ ...investigationsQuery({}), enabled: sees.investigations });
  const chats = useQuery({ ...chatsQuery({ page: 1, mine: false }), enabled: sees.chats });
  const agents = useQuery({ ...agentsQuery, enabled: sees.monitoring });
  if (
    !sources.data ||
    (sees.investigations && !investigations.data) ||
    (sees.chats && !chats.data) ||
    (sees.monitoring && !agents.data)
  )
    return null;
  const steps: Step[] = [
    {
      isDone: sources.data.sources.length > 0,
      title: 'Connect a source',
      how: (
        <>
          <Link to="/integrations" className="text-accent underline">
            Connect a database or a vendor
          </Link>
          ,{' '}
          <Link to="/satellites" className="text-accent underline">
            enrol a satellite
          </Link>{' '}
          in your network, or set <code>PROMETHEUS_URL</code> or <code>LOKI_URL</code> for the installation.
        </>
      ),
    },
    ...(sees.investigations || sees.chats
      ? [
          {
            isDone: (investigations.data?.total ?? 0) + (chats.data?.total ?? 0) > 0,
            title: 'Ask a question',
            how: (
              <>
                {may(session, 'chats:write') && (
                  <>
                    <Link to="/chat" className="text-accent underline">
                      Start a chat
                    </Link>
                    {mayInvestigate ? ', or describe' : '.'}
                  </>
                )}
                {mayInvestigate &&
                  `${may(session, 'chats:write') ? '' : 'Describe'} a symptom below: which service, what you see, since when.`}
              </>
            ),
          },
        ]
      : []),
    ...(sees.monitoring
      ? [
          {
            isDone: (agents.data?.chats.length ?? 0) > 0,
            title: 'Create a monitoring agent',
            how: (
              <>
                <Link to="/monitoring" className="text-accent underline">
                  Create an agent
                </Link>{' '}
                that watches a service and investigates what it finds.
              </>
            ),
          },
        ]
      : []),
  ];
  if (steps.every(({ isDone }) => isDone)) return null;
  return (
    <Panel title="Get started">
      <ol className="flex flex-col gap-2.5">
        {steps.map(({ isDone, title, how }) => (
          <li key={title} className="flex gap-2.5">
            {isDone ? (
              <CircleCheck role="img" aria-label="Done" size={18} className="mt-0.5 shrink-0 text-good" />
            ) : (
              <Circle role="img" aria-label="To do" size={18} className="mt-0.5 shrink-0 text-ink-soft" />
            )}
            <span className="min-w-0 break-words">
              <span className={isDone ? 'text-ink-soft line-through' : 'font-medium'}>{title}</span>
              {!isDone && <span className="block text-sm text-ink-soft">{how}</span>}
            </span>
          </li>
        ))}
      </ol>
    </Panel>
  );
}

interface Step {
  isDone: boolean;
  title: string;
  how: ReactNode;
}
