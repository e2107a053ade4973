/** The queries of a check and their results, as stored. */
import type { Schema } from '../../api/client.ts';
import { ScrollBox } from '../../components/ui/scroll-box.tsx';

/** Queries and results of other systems, shown as text. */
export function Evidence({ evidence }: { evidence: readonly Schema<'MonitoringEvidence'>[] }) {
  return (
    <ul className="divide-y rounded-md border">
      {evidence.map(({ source, question, answer }, index) => (
        // oxlint-disable-next-line react/no-array-index-key -- what was stored is not changed any more
        <li key={index}>
          <details className="px-3 py-2 text-sm">
            <summary className="marker:text-ink-soft">
              <span className="font-medium break-all">{source}</span>
              <code className="block pl-4 text-xs break-words whitespace-pre-wrap text-ink-soft">{question}</code>
            </summary>
            <ScrollBox label={`Result from ${source.slice(0, 80)}`} className="mt-2 max-h-96 rounded-md bg-sunken p-3">
              <pre className="font-mono text-xs">
                {typeof answer === 'string' ? answer : JSON.stringify(answer, undefined, 2)}
              </pre>
            </ScrollBox>
          </details>
        </li>
      ))}
    </ul>
  );
}
