import { Link } from '@tanstack/react-router';
import { Fact, Facts } from '../../components/ui/facts.tsx';
import { Panel } from '../../components/ui/panel.tsx';
import { Time } from '../../components/ui/time.tsx';
import type { Finding } from './queries.ts';

const ORIGINS: Record<Finding['origin'], string> = {
  check: 'Agent check',
  health: 'Agent health',
  alert: 'External alert',
};

const ACTIONS: Record<Finding['on_finding'][number], string> = {
  notify: 'notify the channel',
  investigate: 'start an investigation',
};

export function FindingFacts({ finding }: { finding: Finding }) {
  const { opened_at: opened, resolved_at: resolved, closed_at: closed, chat_id: agentId } = finding;
  return (
    <Panel title="Details">
      <Facts>
        <Fact name="Opened">{opened === null ? 'Unconfirmed' : <Time at={opened} />}</Fact>
        <Fact name="Last seen">
          <Time at={finding.last_seen_at} />,{' '}
          {finding.occurrences === 1 ? 'seen once' : `seen ${finding.occurrences} times`}
        </Fact>
        {finding.times_opened > 1 && <Fact name="Times opened">{finding.times_opened}</Fact>}
        {finding.acknowledged !== null && (
          <Fact name="Acknowledged by" className="line-clamp-4">
            <bdi>{finding.acknowledged.by}</bdi>, <Time at={finding.acknowledged.at} />
          </Fact>
        )}
        {finding.muted_until !== null && (
          <Fact name="Muted until">
            <Time at={finding.muted_until} />
          </Fact>
        )}
        {resolved !== null && (
          <Fact name="Resolved">
            <Time at={resolved} />
          </Fact>
        )}
        {closed !== null && (
          <Fact name="Closed">
            <Time at={closed} />
          </Fact>
        )}
        <Fact name="Origin">{ORIGINS[finding.origin]}</Fact>
        {agentId !== null && (
          <Fact name="Agent" className="line-clamp-4">
            <Link to="/monitoring/$agentId" params={{ agentId }} className="break-words text-accent underline">
              <bdi>{finding.agent?.title ?? 'Agent'}</bdi>
            </Link>
          </Fact>
        )}
        {finding.service !== null && (
          <Fact name="Service" className="line-clamp-4">
            <Link to="/service" search={{ name: finding.service }} className="text-accent underline">
              <bdi>{finding.service}</bdi>
            </Link>
          </Fact>
        )}
        <Fact name="Response" className="first-letter:uppercase">
          {finding.on_finding.map((action) => ACTIONS[action]).join(', ')}
        </Fact>
        <Fact name="Deduplication key" className="line-clamp-4">
          <code className="text-xs break-all">{finding.dedup_key}</code>
        </Fact>
        <Fact name="Workflow">
          <code className="text-xs break-all">{finding.workflow_id}</code>
        </Fact>
      </Facts>
    </Panel>
  );
}
