import { ArrowUp } from 'lucide-react';
import { useEffect, useState } from 'react';
import { Button } from '../../components/ui/button.tsx';
import type { Investigation } from './queries.ts';

const WORDS = {
  processing: '',
  completed: 'The investigation is complete.',
  failed: 'The investigation failed.',
  cancelled: 'The investigation was cancelled.',
};

/**
 * Announces the end to whoever watched the run: screen readers read it out, and readers who scrolled down stay where
 * they are and are offered the report.
 */
export function Announcement({
  investigation: { status, alert_summary },
  onShow,
}: {
  investigation: Investigation;
  onShow: () => void;
}) {
  const [wasRunning] = useState(status === 'processing');
  const [isOffered, setIsOffered] = useState(false);
  const hasEnded = wasRunning && status !== 'processing';

  useEffect(() => {
    if (!hasEnded) return undefined;
    const isDown = (): boolean => scrollY >= innerHeight / 2;
    const frame = requestAnimationFrame(() => setIsOffered(isDown()));
    return () => cancelAnimationFrame(frame);
  }, [hasEnded]);

  return (
    <>
      <p aria-live="polite" className="sr-only">
        {hasEnded && `${WORDS[status]} ${alert_summary ?? ''}`}
      </p>
      {isOffered && (
        <div className="pointer-events-none fixed inset-x-0 bottom-4 z-30 flex justify-center">
          <Button
            variant="primary"
            className="pointer-events-auto shadow-pop"
            onClick={() => {
              setIsOffered(false);
              onShow();
            }}
          >
            <ArrowUp aria-hidden size={16} /> {status === 'completed' ? 'The report is ready' : WORDS[status]}
          </Button>
        </div>
      )}
    </>
  );
}
