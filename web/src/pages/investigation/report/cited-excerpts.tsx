import { ExcerptList } from '../../../components/evidence/excerpts.tsx';
import type { CitedExcerpt } from '../../../components/evidence/evidence.ts';
import { Panel } from '../../../components/ui/panel.tsx';

export interface CitedExcerptsProps {
  citations: readonly { n: number; tool: string | null; excerpts: readonly CitedExcerpt[] }[];
}

/** The element of a citation. */
export const citationId = (n: number): string => `citation-${n}`;

/** What the report cites, word for word: where its evidence cannot be opened. */
export function CitedExcerpts({ citations }: CitedExcerptsProps) {
  if (citations.length === 0) return null;
  return (
    <Panel title="Cited evidence">
      <ol className="flex flex-col gap-4">
        {citations
          .toSorted((a, b) => a.n - b.n)
          .map(({ n, tool, excerpts }) => (
            <li key={n} id={citationId(n)} tabIndex={-1} className="min-w-0 rounded-md">
              <p className="mb-1 text-sm font-medium break-words">
                <span className="font-mono text-accent">[{n}]</span>{' '}
                {tool === null ? 'Missing evidence' : <code>{tool}</code>}
              </p>
              <ExcerptList excerpts={excerpts} />
            </li>
          ))}
      </ol>
    </Panel>
  );
}
