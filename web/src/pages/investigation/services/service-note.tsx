import { Badge, type Tone } from '../../../components/ui/badge.tsx';
import { Button } from '../../../components/ui/button.tsx';
import { useEvidence } from '../evidence/evidence-context.ts';
import { Prose } from '../evidence/prose.tsx';
import type { Graph } from '../queries.ts';

type Service = Graph['services'][number];

const ROLES: Record<Service['role'], { word: string; tone: Tone }> = {
  suspect: { word: 'Suspect', tone: 'bad' },
  alerting: { word: 'Shows the symptom', tone: 'warn' },
  affected: { word: 'Affected', tone: 'warn' },
  ruled_out: { word: 'Ruled out', tone: 'neutral' },
  related: { word: 'Related', tone: 'neutral' },
};

/**
 * Facts about the selected service, and the tool calls that looked at it.
 * @param isCause the report names it as the cause and has explained why further up
 */
export function ServiceNote({ service, isCause }: { service: Service; isCause: boolean }) {
  const { name, role, reason, evidence } = service;
  const { openCall } = useEvidence();
  const { word, tone } = ROLES[role];
  return (
    <div aria-live="polite" className="rounded-md bg-ground p-3 text-sm">
      <p className="flex flex-wrap items-center gap-2">
        <span className="font-semibold break-all">{name}</span> <Badge tone={tone}>{isCause ? 'Cause' : word}</Badge>
      </p>
      {reason !== null && !isCause && (
        <div className="mt-1 text-ink-soft">
          <Prose text={reason} />
        </div>
      )}
      {evidence.length > 0 && (
        <p className="mt-2 flex flex-wrap items-center gap-1.5">
          <span className="text-ink-soft">Checked in</span>
          {evidence.map(({ tool_call_id, evidence: number }) => (
            <Button key={tool_call_id} size="small" onClick={() => openCall(tool_call_id)}>
              Evidence {number}
            </Button>
          ))}
        </p>
      )}
    </div>
  );
}
