/** One run of a check, with its evidence. */
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { Dialog } from '../../../components/ui/dialog.tsx';
import { Fact, Facts } from '../../../components/ui/facts.tsx';
import { count, dollars } from '../../../components/ui/numbers.ts';
import { Failed, Loading } from '../../../components/ui/states.tsx';
import { duration, Elapsed, Time } from '../../../components/ui/time.tsx';
import { Evidence } from '../../findings/evidence.tsx';
import { kindTitle } from '../plan/kinds.ts';
import { sessionQuery } from '../queries.ts';
import type { Schema } from '../../../api/client.ts';
import { Observations } from './observations.tsx';
import { SessionBadge } from './session-badge.tsx';
import { ToolCalls } from './tool-calls.tsx';
import { TRIGGERS } from './words.ts';

type Session = Schema<'MonitoringSessionResponse'>;

export interface SessionDialogProps {
  agentId: string;
  sessionId: string;
  onClose: () => void;
}

export function SessionDialog({ agentId, sessionId, onClose }: SessionDialogProps) {
  const { data, isPending, isError, error, refetch } = useQuery(sessionQuery(agentId, sessionId));
  return (
    <Dialog
      open
      onOpenChange={(open) => {
        if (!open) onClose();
      }}
      placement="side"
      title={<span className="line-clamp-2">{data?.title ?? 'Session'}</span>}
    >
      {isPending && <Loading lines={6} />}
      {isError && <Failed error={error} onRetry={() => void refetch()} />}
      {data && <Detail session={data} />}
    </Dialog>
  );
}

function Detail({ session }: { session: Session }) {
  const { status, summary, started_at: startedAt, duration_seconds: seconds, missed } = session;
  const tokens = session.input_tokens + session.output_tokens;
  return (
    <div className="flex flex-col gap-5">
      <div className="flex flex-col gap-2">
        <div>
          <SessionBadge status={status} />
        </div>
        <p className="break-words" aria-live="polite">
          {summary ?? 'Running…'}
        </p>
      </div>
      <Facts>
        <Fact name="Check">
          <span className="break-all">{session.check_id}</span>, {kindTitle(session.check_type).toLowerCase()}
        </Fact>
        <Fact name="Trigger">{TRIGGERS[session.trigger]}</Fact>
        <Fact name="Scheduled for">
          <Time at={session.scheduled_at} />
          {missed > 0 && `; ${count(missed, 'scheduled run')} missed before`}
        </Fact>
        <Fact name="Started">
          <Time at={startedAt} />
        </Fact>
        <Fact name="Duration">{seconds === null ? <Elapsed since={startedAt} /> : duration(seconds * 1_000)}</Fact>
        <Fact name="Plan version">{session.plan_version}</Fact>
        {session.model !== null && <Fact name="Model">{session.model}</Fact>}
        {tokens > 0 && (
          <Fact name="Tokens">
            {session.input_tokens.toLocaleString('en')} in, {session.output_tokens.toLocaleString('en')} out
          </Fact>
        )}
        {session.model !== null && <Fact name="Cost">{dollars(session.cost)}</Fact>}
        {session.budget_spent && <Fact name="Budget">Daily model budget spent.</Fact>}
        {session.workflow_id !== null && (
          <Fact name="Workflow">
            <code className="text-xs break-all">{session.workflow_id}</code>
          </Fact>
        )}
      </Facts>
      <Part title="Observations">
        <Observations observations={session.observations} />
      </Part>
      {session.check_type === 'instruction' && (
        <Part title="Tool calls">
          <ToolCalls calls={session.tool_calls} />
        </Part>
      )}
      {session.evidence.length > 0 && (
        <Part title="Evidence">
          <Evidence evidence={session.evidence} />
        </Part>
      )}
    </div>
  );
}

const Part = ({ title, children }: { title: string; children: ReactNode }) => (
  <section>
    <h3 className="pb-2 font-semibold">{title}</h3>
    {children}
  </section>
);
