import { ChevronLeft, ChevronRight } from 'lucide-react';
import { Button } from '../../../components/ui/button.tsx';
import { Dialog } from '../../../components/ui/dialog.tsx';
import type { Investigation } from '../queries.ts';
import { allCalls, inOrder, neighbour, shownCall, shownCitation, type Shown } from './citation-order.ts';
import { EvidenceBody } from './evidence-body.tsx';
import type { OpenEvidence } from './use-open-evidence.ts';
import { useTurningKeys } from './use-turning-keys.ts';

interface EvidencePanelProps extends OpenEvidence {
  investigation: Investigation;
  turnTo: (next: OpenEvidence) => void;
  close: () => void;
}

/** What a citation cites, or what a tool call returned, beside the page. */
export function EvidencePanel({ investigation, citation, call, turnTo, close }: EvidencePanelProps) {
  const isOpen = citation !== undefined || call !== undefined;
  const shown =
    citation !== undefined
      ? shownCitation(investigation, citation)
      : call !== undefined
        ? shownCall(investigation, call)
        : undefined;
  const before = aside(investigation, { citation, call }, -1);
  const after = aside(investigation, { citation, call }, 1);
  useTurningKeys(isOpen, (by) => (by === 1 ? after : before), turnTo);
  return (
    <Dialog
      open={isOpen}
      onOpenChange={(open) => {
        if (!open) close();
      }}
      placement="side"
      title={titleOf(shown, citation)}
      description={shown?.call?.summary ?? 'Nothing is known of it.'}
      footer={
        <div className="flex w-full items-center gap-2">
          <span className="mr-auto text-sm text-ink-soft max-sm:hidden">
            <kbd className="font-mono">k</kbd> and <kbd className="font-mono">j</kbd> turn,{' '}
            <kbd className="font-mono">Esc</kbd> closes
          </span>
          <Button disabled={before === undefined} onClick={() => before && turnTo(before)}>
            <ChevronLeft aria-hidden size={16} /> Previous
          </Button>
          <Button disabled={after === undefined} onClick={() => after && turnTo(after)}>
            Next <ChevronRight aria-hidden size={16} />
          </Button>
        </div>
      }
    >
      {shown === undefined ? (
        <p className="text-ink-soft">
          {citation !== undefined
            ? `This report has no citation [${citation}].`
            : 'This investigation has no such tool call, or it is not stored yet.'}
        </p>
      ) : (
        <EvidenceBody key={`${citation} ${call}`} shown={shown} />
      )}
    </Dialog>
  );
}

/** The citation, or the tool call, before or after the one that is open. */
function aside(investigation: Investigation, { citation, call }: OpenEvidence, by: 1 | -1): OpenEvidence | undefined {
  if (citation !== undefined) {
    const n = neighbour(
      inOrder(investigation.citations).map((each) => each.n),
      citation,
      by,
    );
    return n === undefined ? undefined : { citation: n };
  }
  const id = neighbour(
    allCalls(investigation)
      .filter(({ status }) => status !== 'pending')
      .map((each) => each.id),
    call ?? '',
    by,
  );
  return id === undefined ? undefined : { call: id };
}

function titleOf(shown: Shown | undefined, citation: number | undefined): string {
  if (citation !== undefined) return `Citation [${citation}]`;
  return shown?.evidence === undefined ? 'Tool call' : `Evidence ${shown.evidence}`;
}
