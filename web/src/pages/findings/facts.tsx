import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { Panel } from '../../components/ui/panel.tsx';
import { Time } from '../../components/ui/time.tsx';
import type { Finding } from './queries.ts';

const ORIGINS: Record<Finding['origin'], string> = {
  check: 'A check of the agent',
  health: 'The agent itself: it watches less than its plan says',
  alert: 'An alert from outside',
};

const ACTIONS: Record<Finding['on_finding'][number], string> = {
  notify: 'the channel is told',
  investigate: 'an investigation is opened',
};

export function FindingFacts({ finding }: { finding: Finding }) {
  const { opened_at: opened, resolved_at: resolved, closed_at: closed, chat_id: agentId } = finding;
  return (
    <Panel title="Facts">
      <dl className="grid grid-cols-[auto_minmax(0,1fr)] gap-x-4 gap-y-1.5 text-sm [&>dt]:text-ink-soft">
        <Row name="Since">{opened === null ? 'It is not confirmed yet' : <Time at={opened} />}</Row>
        <Row name="Seen last">
          <Time at={finding.last_seen_at} />, {finding.occurrences === 1 ? 'once' : `${finding.occurrences} times`} in
          all
        </Row>
        {resolved !== null && (
          <Row name="Until">
            <Time at={resolved} />
          </Row>
        )}
        {closed !== null && (
          <Row name="Closed">
            <Time at={closed} />
          </Row>
        )}
        <Row name="Comes from">{ORIGINS[finding.origin]}</Row>
        {agentId !== null && (
          <Row name="Agent">
            <Link to="/monitoring/$agentId" params={{ agentId }} className="break-words text-accent underline">
              <bdi>{finding.agent?.title ?? 'The agent'}</bdi>
            </Link>
          </Row>
        )}
        {finding.service !== null && <Row name="Service">{finding.service}</Row>}
        <Row name="What happens">{finding.on_finding.map((action) => ACTIONS[action]).join(', ')}</Row>
        <Row name="Deduplication key">
          <code className="text-xs break-all">{finding.dedup_key}</code>
        </Row>
        <Row name="Workflow">
          <code className="text-xs break-all">{finding.workflow_id}</code>
        </Row>
      </dl>
    </Panel>
  );
}

const Row = ({ name, children }: { name: string; children: ReactNode }) => (
  <>
    <dt>{name}</dt>
    <dd className="line-clamp-4 break-words">{children}</dd>
  </>
);
