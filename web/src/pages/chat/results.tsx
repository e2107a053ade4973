/** What a turn produced besides text: charts and file changes. */
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useTheme } from '../../app/theme.ts';
import { UnifiedDiff } from '../../components/diff/unified-diff.tsx';
import { chartPicture } from '../../components/markdown/links.ts';
import { Badge } from '../../components/ui/badge.tsx';
import { Button } from '../../components/ui/button.tsx';
import type { Changes } from './parts.ts';
import { proposalQuery, ProposalActions } from './proposal.tsx';

/** @param title what the chart shows, in words */
export function Chart({ toolId, title, onOpen }: { toolId: string; title: string; onOpen: (toolId: string) => void }) {
  const [isBroken, setIsBroken] = useState(false);
  const picture = chartPicture(`/api/charts/${toolId}`, location.origin, useTheme());
  return (
    <figure className="flex flex-col gap-1">
      {isBroken ? (
        <p className="rounded-lg border px-4 py-6 text-center text-ink-soft">The chart could not be drawn.</p>
      ) : (
        <img
          src={picture}
          alt={title}
          loading="lazy"
          onError={() => setIsBroken(true)}
          className="min-h-40 max-w-full self-start rounded-lg border bg-surface p-3"
        />
      )}
      <figcaption className="flex flex-wrap items-center gap-x-3 text-sm text-ink-soft">
        <span className="min-w-0 flex-1 break-words">{title}</span>
        <Button variant="quiet" size="small" onClick={() => onOpen(toolId)}>
          Show data
        </Button>
      </figcaption>
    </figure>
  );
}

const OUTCOMES: Record<Changes['status'], { tone: 'good' | 'accent' | 'warn' | 'neutral'; word: string }> = {
  committed: { tone: 'good', word: 'Committed' },
  proposed: { tone: 'accent', word: 'Proposed' },
  conflict: { tone: 'warn', word: 'Conflict: nothing written' },
  unchanged: { tone: 'neutral', word: 'No changes' },
  discarded: { tone: 'neutral', word: 'Discarded' },
};

export function ChangedFiles({ changes: stored }: { changes: Changes }) {
  const { proposal } = stored;
  const { data: decided } = useQuery({ ...proposalQuery(proposal ?? ''), enabled: proposal !== undefined });
  // The diff that was proposed stays; discarded changes have none.
  const changes = decided === undefined ? stored : { ...stored, ...decided, paths: stored.paths, diff: stored.diff };
  const { tone, word } = OUTCOMES[changes.status] ?? { tone: 'neutral' as const, word: changes.status };
  return (
    <section aria-label="File changes" className="rounded-lg border bg-surface text-sm">
      <div className="flex flex-wrap items-center gap-2 px-3 py-2">
        <span className="font-medium">File changes</span>
        <Badge tone={tone}>{word}</Badge>
        {changes.commit !== null && <code className="font-mono text-ink-soft">{changes.commit.slice(0, 10)}</code>}
      </div>
      <ul className="border-t px-3 py-2">
        {changes.paths.map(({ path, change, additions, deletions }) => (
          <li key={path} className="flex flex-wrap gap-x-3">
            <code className="min-w-0 flex-1 font-mono break-all">{path}</code>
            <span className="text-ink-soft">
              {change} · +{additions} −{deletions}
            </span>
          </li>
        ))}
        {changes.conflicts.map((path) => (
          <li key={path} className="text-warn">
            Changed by someone else: <code className="font-mono break-all">{path}</code>
          </li>
        ))}
      </ul>
      {changes.diff !== '' && (
        <details className="border-t" open={changes.status === 'proposed'}>
          <summary className="px-3 py-2">Diff{changes.truncated && ' (truncated)'}</summary>
          <UnifiedDiff diff={changes.diff} />
        </details>
      )}
      {proposal !== undefined && <ProposalActions id={proposal} />}
    </section>
  );
}
