import { ChevronRight } from 'lucide-react';
import { useState } from 'react';
import { Prose } from './prose.tsx';

/** What the model thought, collapsed. */
export function Reasoning({ text, isGoingOn }: { text: string; isGoingOn: boolean }) {
  const [isOpen, setIsOpen] = useState(false);
  return (
    <details
      className="group text-sm text-ink-soft"
      open={isOpen}
      onToggle={({ currentTarget }) => setIsOpen(currentTarget.open)}
    >
      <summary className="inline-flex list-none items-center gap-1 rounded py-0.5 hover:text-ink [&::-webkit-details-marker]:hidden">
        <ChevronRight aria-hidden size={14} className="transition-transform group-open:rotate-90" />
        {isGoingOn ? 'Reasoning…' : 'Reasoning'}
      </summary>
      {isOpen && (
        <div className="mt-1 ml-1.5 border-l-2 pl-3">
          <Prose text={text.trim()} headingOffset={2} />
        </div>
      )}
    </details>
  );
}
