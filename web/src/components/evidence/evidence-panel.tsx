import { ChevronLeft, ChevronRight } from 'lucide-react';
import { Button } from '../ui/button.tsx';
import { CopyButton } from '../ui/copy-button.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { EvidenceBody } from './evidence-body.tsx';
import type { Evidence } from './evidence.ts';
import { useTurningKeys } from './use-turning-keys.ts';

export interface EvidencePanelProps<Place> {
  /** undefined: closed */
  evidence: Evidence | undefined;
  onClose: () => void;
  /** The previous and next item; undefined if there are none. */
  before: Place | undefined;
  after: Place | undefined;
  turnTo: (place: Place) => void;
  /** Whether the address of the page leads here, so that it can be shared. */
  isLinked?: boolean;
}

/** What a citation cites, or what a tool call returned, next to the page. */
export function EvidencePanel<Place>({
  evidence,
  onClose,
  before,
  after,
  turnTo,
  isLinked,
}: EvidencePanelProps<Place>) {
  useTurningKeys(evidence !== undefined, (by) => (by === 1 ? after : before), turnTo);
  return (
    <Dialog
      open={evidence !== undefined}
      onOpenChange={(open) => {
        if (!open) onClose();
      }}
      placement="side"
      title={evidence?.title ?? ''}
      description={evidence?.description ?? ''}
      {...((before !== undefined || after !== undefined || isLinked === true) && {
        footer: (
          <div className="flex w-full items-center gap-2">
            <span className="mr-auto text-sm text-ink-soft max-sm:hidden">
              <kbd className="font-mono">k</kbd> previous, <kbd className="font-mono">j</kbd> next,{' '}
              <kbd className="font-mono">Esc</kbd> close
            </span>
            {isLinked === true && <CopyButton text={() => location.href}>Copy link</CopyButton>}
            {/* At an end they stay where they are, or the focus would be lost with the one that led there. */}
            <Button aria-disabled={before === undefined} onClick={() => before !== undefined && turnTo(before)}>
              <ChevronLeft aria-hidden size={16} /> Previous
            </Button>
            <Button aria-disabled={after === undefined} onClick={() => after !== undefined && turnTo(after)}>
              Next <ChevronRight aria-hidden size={16} />
            </Button>
          </div>
        ),
      })}
    >
      {evidence !== undefined && <EvidenceBody key={`${evidence.title} ${evidence.call?.id}`} evidence={evidence} />}
    </Dialog>
  );
}
