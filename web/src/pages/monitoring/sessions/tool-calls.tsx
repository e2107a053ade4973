/** The tool calls of an instruction check. Results open in place. */
import { Suspense, useState } from 'react';
import type { Schema } from '../../../api/client.ts';
import { ToolResult, ToolSeries, ToolTrace, TRACE_TOOL } from '../../../components/evidence/tool-views.ts';
import { Badge, StatusBadge } from '../../../components/ui/badge.tsx';
import { Loading } from '../../../components/ui/states.tsx';

type Call = Schema<'MonitoringSessionToolCall'>;

export function ToolCalls({ calls }: { calls: readonly Call[] }) {
  if (calls.length === 0) return <p className="text-sm text-ink-soft">No tool calls yet.</p>;
  return (
    <ul className="divide-y rounded-md border">
      {calls.map((call) => (
        <li key={call.id}>
          <ToolCall call={call} />
        </li>
      ))}
    </ul>
  );
}

function ToolCall({ call }: { call: Call }) {
  const [isOpen, setIsOpen] = useState(false);
  return (
    <details onToggle={(event) => setIsOpen(event.currentTarget.open)} className="px-3 py-2 text-sm">
      <summary className="marker:text-ink-soft">
        <span className="font-medium">
          [{call.evidence}] <span className="font-mono break-all">{call.name}</span>
        </span>{' '}
        {call.is_error ? (
          <Badge tone="bad">Error</Badge>
        ) : (
          call.status !== 'completed' && <StatusBadge status={call.status} />
        )}
        <span className="block pl-4 break-words text-ink-soft">{call.digest ?? call.summary}</span>
      </summary>
      {isOpen && call.status === 'completed' && (
        <div className="flex flex-col gap-3 pt-3">
          <Suspense fallback={<Loading />}>
            {call.has_series && <ToolSeries toolId={call.id} />}
            {call.name === TRACE_TOOL && !call.is_error && <ToolTrace toolId={call.id} />}
            <ToolResult toolId={call.id} />
          </Suspense>
        </div>
      )}
    </details>
  );
}
