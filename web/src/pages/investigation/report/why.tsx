import { useQuery } from '@tanstack/react-query';
import { Suspense } from 'react';
import { ToolSeries, ToolTrace } from '../../../components/evidence/tool-views.ts';
import { Button } from '../../../components/ui/button.tsx';
import { Panel } from '../../../components/ui/panel.tsx';
import { Loading } from '../../../components/ui/states.tsx';
import { useEvidence } from '../evidence/evidence-context.ts';
import { Prose } from '../evidence/prose.tsx';
import { graphQuery, type Investigation, type Report } from '../queries.ts';
import { isTrace, mainEvidence } from './main-evidence.ts';

/** What supports the cause: the story in words, the fault's path, and the chart or trace that shows it. */
export function Why({ investigation, report }: { investigation: Investigation; report: Report }) {
  const { openCall } = useEvidence();
  const call = mainEvidence(investigation, report);
  return (
    <Panel
      title="Why"
      actions={
        call && (
          <Button variant="quiet" size="small" onClick={() => openCall(call.id)}>
            Open evidence {call.evidence}
          </Button>
        )
      }
    >
      <div className="flex flex-col gap-4">
        <Prose text={report.summary} />
        <FaultPath id={investigation.id} />
        {call && (
          <Suspense fallback={<Loading lines={6} />}>
            {isTrace(call) ? <ToolTrace toolId={call.id} /> : <ToolSeries toolId={call.id} />}
          </Suspense>
        )}
      </div>
    </Panel>
  );
}

function FaultPath({ id }: { id: string }) {
  const { data } = useQuery(graphQuery(id));
  if (data === undefined || data.fault_path.length < 2) return null;
  return (
    <p className="text-sm">
      <span className="text-ink-soft">
        Fault path, from the symptom to {data.is_tentative ? 'the suspect' : 'the cause'}:{' '}
      </span>
      <span className="font-medium break-words">{data.fault_path.join(' → ')}</span>
    </p>
  );
}
