import { ChevronRight } from 'lucide-react';
import { useEffect, useRef, useState } from 'react';
import { duration } from '../../components/ui/time.tsx';
import { Prose } from './prose.tsx';

/** What the model thought, folded. How long it took is known only to who was there. */
export function Reasoning({ text, isGoingOn }: { text: string; isGoingOn: boolean }) {
  const [isOpen, setIsOpen] = useState(false);
  const tookMs = useTook(isGoingOn);
  const title = isGoingOn ? 'Thinking …' : tookMs === undefined ? 'Thought' : `Thought for ${duration(tookMs)}`;
  return (
    <details
      className="group text-sm text-ink-soft"
      open={isOpen}
      onToggle={({ currentTarget }) => setIsOpen(currentTarget.open)}
    >
      <summary className="inline-flex list-none items-center gap-1 rounded py-0.5 hover:text-ink [&::-webkit-details-marker]:hidden">
        <ChevronRight aria-hidden size={14} className="transition-transform group-open:rotate-90" />
        {title}
      </summary>
      {isOpen && (
        <div className="mt-1 ml-1.5 border-l-2 pl-3">
          <Prose text={text.trim()} headingOffset={2} />
        </div>
      )}
    </details>
  );
}

function useTook(isGoingOn: boolean): number | undefined {
  const since = useRef<number>(undefined);
  const [took, setTook] = useState<number>();
  useEffect(() => {
    if (isGoingOn) since.current ??= performance.now();
    else if (since.current !== undefined) setTook(performance.now() - since.current);
  }, [isGoingOn]);
  return took;
}
