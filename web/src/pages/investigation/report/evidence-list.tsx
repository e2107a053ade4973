import { ChartLine, TriangleAlert } from 'lucide-react';
import { RecordedMark } from '../../../components/evidence/recorded-mark.tsx';
import { Panel } from '../../../components/ui/panel.tsx';
import { citedCall, inOrder } from '../evidence/citation-order.ts';
import { useEvidence } from '../evidence/evidence-context.ts';
import { count } from '../../../components/ui/numbers.ts';
import type { Citation, Investigation } from '../queries.ts';

/** The citations of the report, by number. */
export function EvidenceList({ investigation }: { investigation: Investigation }) {
  const { citations } = investigation;
  const { openCitation } = useEvidence();
  return (
    <Panel
      title="Cited evidence"
      actions={<span className="text-sm text-ink-soft">{count(citations.length, 'citation')}</span>}
    >
      {citations.length === 0 && <p className="text-ink-soft">This report cites no evidence.</p>}
      <ol className="-m-2 flex flex-col">
        {inOrder(citations).map((citation) => {
          const call = citedCall(investigation, citation);
          return (
            <li key={citation.n}>
              <button
                type="button"
                onClick={() => openCitation(citation.n)}
                className="flex w-full items-start gap-3 rounded-md p-2 text-left hover:bg-sunken"
              >
                <span className="min-w-8 font-mono text-sm font-semibold text-accent">[{citation.n}]</span>
                <span className="min-w-0 flex-1 text-sm">
                  <span className="break-words">{call?.summary ?? 'Missing evidence'}</span>
                  <span className="block text-ink-soft">
                    {citation.tool !== null && <span className="font-mono text-xs">{citation.tool}</span>}{' '}
                    {citation.source?.recorded === true && <RecordedMark />} <Verified citation={citation} />
                  </span>
                </span>
                {call?.has_series === true && (
                  <ChartLine role="img" aria-label="With a chart" size={16} className="mt-0.5 shrink-0 text-ink-soft" />
                )}
              </button>
            </li>
          );
        })}
      </ol>
    </Panel>
  );
}

function Verified({ citation: { excerpts } }: { citation: Citation }) {
  const missing = excerpts.filter(({ verified }) => !verified).length;
  if (missing === 0) return <span>{count(excerpts.length, 'excerpt')}, verified</span>;
  return (
    <span className="inline-flex items-center gap-1 text-warn">
      <TriangleAlert aria-hidden size={14} />
      {missing === excerpts.length ? 'not verified' : `${missing} of ${count(excerpts.length, 'excerpt')} not verified`}
    </span>
  );
}
