/** What a run of a check saw, by subject. */
import type { Schema } from '../../../api/client.ts';
import { Badge } from '../../../components/ui/badge.tsx';
import { measured } from './words.ts';

export function Observations({ observations }: { observations: readonly Schema<'MonitoringObservation'>[] }) {
  if (observations.length === 0) return <p className="text-sm text-ink-soft">No observations.</p>;
  return (
    <ul className="divide-y rounded-md border">
      {observations.map(({ subject, is_finding: isFinding, text, value, expected, unit }) => (
        <li key={subject} className="px-3 py-2 text-sm">
          <div className="flex flex-wrap items-center gap-2">
            <span className="min-w-0 font-medium break-all">{subject}</span>
            {isFinding && <Badge tone="bad">Finding</Badge>}
            {value !== null && (
              <span className="ml-auto text-ink-soft tabular-nums">
                {measured(value, unit)}
                {expected !== null && ` (reference ${measured(expected, unit)})`}
              </span>
            )}
          </div>
          <p className="break-words text-ink-soft">{text}</p>
        </li>
      ))}
    </ul>
  );
}
