import { Link } from '@tanstack/react-router';
import { Fact, Facts } from '../../components/ui/facts.tsx';
import { Panel } from '../../components/ui/panel.tsx';
import { Time } from '../../components/ui/time.tsx';
import type { Finding } from './queries.ts';

const ORIGINS: Record<Finding['origin'], string> = {
  check: 'A check of the agent',
  health: 'The agent itself: it is degraded',
  alert: 'An external alert',
};

const ACTIONS: Record<Finding['on_finding'][number], string> = {
  notify: 'the channel is notified',
  investigate: 'an investigation is opened',
};

export function FindingFacts({ finding }: { finding: Finding }) {
  const { opened_at: opened, resolved_at: resolved, closed_at: closed, chat_id: agentId } = finding;
  return (
    <Panel title="Facts">
      <Facts>
        <Fact name="Since">{opened === null ? 'Not confirmed yet' : <Time at={opened} />}</Fact>
        <Fact name="Seen last">
          <Time at={finding.last_seen_at} />, {finding.occurrences === 1 ? 'once' : `${finding.occurrences} times`} in
          all
        </Fact>
        {finding.times_opened > 1 && <Fact name="Came">{finding.times_opened} times</Fact>}
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
          <Fact name="Until">
            <Time at={resolved} />
          </Fact>
        )}
        {closed !== null && (
          <Fact name="Closed">
            <Time at={closed} />
          </Fact>
        )}
        <Fact name="Comes from">{ORIGINS[finding.origin]}</Fact>
        {agentId !== null && (
          <Fact name="Agent" className="line-clamp-4">
            <Link to="/monitoring/$agentId" params={{ agentId }} className="break-words text-accent underline">
              <bdi>{finding.agent?.title ?? 'The agent'}</bdi>
            </Link>
          </Fact>
        )}
        {finding.service !== null && (
          <Fact name="Service" className="line-clamp-4">
            {finding.service}
          </Fact>
        )}
        <Fact name="Response">{finding.on_finding.map((action) => ACTIONS[action]).join(', ')}</Fact>
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
