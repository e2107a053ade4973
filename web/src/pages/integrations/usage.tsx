import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { Failed, Loading } from '../../components/ui/states.tsx';
import { Time } from '../../components/ui/time.tsx';
import { usageQuery, type Integration } from './queries.ts';
import { titleOf } from './words.ts';

const LINK = 'text-accent underline';

/** Who uses it; asked once somebody wants to know. */
export function Usage({ integration }: { integration: Integration }) {
  const [isOpen, setIsOpen] = useState(false);
  const { data, error, refetch } = useQuery({ ...usageQuery(integration.id), enabled: isOpen });
  return (
    <details className="text-sm" onToggle={({ currentTarget }) => setIsOpen(currentTarget.open)}>
      <summary className="cursor-pointer py-1 text-ink-soft">
        Used by<span className="sr-only">: {titleOf(integration)}</span>
      </summary>
      {error !== null && <Failed error={error} onRetry={() => void refetch()} />}
      {data === undefined && error === null && isOpen && <Loading lines={1} />}
      {data !== undefined && data.runs.length + data.monitoring_agents.length === 0 && (
        <p className="ml-4 text-ink-soft">Not used by any run or monitoring agent yet.</p>
      )}
      <ul className="ml-4 list-disc wrap-anywhere text-ink-soft">
        {data?.monitoring_agents.map(({ chat_id: agentId, title }) => (
          <li key={agentId}>
            Monitoring agent{' '}
            <Link to="/monitoring/$agentId" params={{ agentId }} className={LINK}>
              <bdi>{title}</bdi>
            </Link>
          </li>
        ))}
        {data?.runs.map(({ conversation_id: id, kind, last_used_at: at }) => (
          <li key={id}>
            <Run id={id} kind={kind} /> <Time at={at} />
          </li>
        ))}
      </ul>
    </details>
  );
}

function Run({ id, kind }: { id: string; kind: string }) {
  if (kind === 'investigation')
    return (
      <Link to="/investigation/$investigationId" params={{ investigationId: id }} className={LINK}>
        An investigation
      </Link>
    );
  if (kind === 'chat')
    return (
      <Link to="/chat/$chatId" params={{ chatId: id }} className={LINK}>
        A chat
      </Link>
    );
  return <>A check of a monitoring agent</>;
}
