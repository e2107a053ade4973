import { Info, TriangleAlert } from 'lucide-react';
import { limitWords } from '../../../components/ui/limit-words.ts';
import type { Investigation } from '../queries.ts';

export interface EndedEarlyProps {
  status: Investigation['status'];
  limit: string | null;
  explanation?: string | null;
}

/** Says so if the run did not end as planned. */
export function EndedEarly({ status, limit, explanation }: EndedEarlyProps) {
  return (
    <>
      {limit !== null && (
        <p className="flex gap-2.5 rounded-lg border border-warn bg-warn-soft px-4 py-3 text-warn">
          <TriangleAlert aria-hidden size={18} className="mt-0.5 shrink-0" />
          <span className="min-w-0 break-words">
            <strong className="font-semibold">Ended early</strong> because {limitWords(limit)}. This is the best report
            so far. {explanation}
          </span>
        </p>
      )}
      {status !== 'completed' && (
        <p className="flex gap-2.5 rounded-lg border px-4 py-3">
          <Info aria-hidden size={18} className="mt-0.5 shrink-0" />
          <span>It submitted this report before it {status === 'failed' ? 'failed' : 'was cancelled'}.</span>
        </p>
      )}
    </>
  );
}
