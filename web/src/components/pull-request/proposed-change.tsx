import { clsx } from 'clsx';
import { useMemo, type ReactNode } from 'react';
import { ScrollBox } from '../ui/scroll-box.tsx';
import { linesByFile, type DiffLine } from './diff.ts';
import type { Suggestion } from './queries.ts';

const MAX_SHOWN_FILES = 100;
const MAX_SHOWN_LINES = 2_000;

/** A suggested change: where it goes, why, and its diff. */
export function ProposedChange({ suggestion, children }: { suggestion: Suggestion; children?: ReactNode }) {
  const { title, body, repository, base, reverts, files, warnings, diff, diff_truncated } = suggestion;
  const shown = useMemo(() => linesByFile(diff), [diff]);
  return (
    <div className="flex flex-col gap-3">
      <div>
        <p className="text-base font-medium break-words">
          <bdi>{title}</bdi>
        </p>
        <p className="text-sm text-ink-soft wrap-anywhere">
          In <code>{repository}</code>, into <code>{base}</code>
          {reverts !== null && (
            <>
              . Reverts <code>{reverts.commit.slice(0, 10)}</code> (<bdi>{reverts.summary}</bdi>) by{' '}
              <bdi>{reverts.author}</bdi>
            </>
          )}
          .
        </p>
      </div>
      {body !== '' && <p className="wrap-anywhere whitespace-pre-wrap">{body}</p>}
      {warnings.map((warning) => (
        <p key={warning} role="note" className="rounded-md bg-warn-soft px-3 py-2 text-sm wrap-anywhere text-warn">
          {warning}
        </p>
      ))}
      <ul aria-label="Changed files" className="flex flex-col gap-3">
        {files.slice(0, MAX_SHOWN_FILES).map(({ path, change, additions, deletions }, index) => (
          <li key={path} className="overflow-hidden rounded-lg border">
            <p className="flex flex-wrap gap-x-3 bg-sunken px-3 py-1.5 text-sm">
              <code className="min-w-0 flex-1 font-mono wrap-anywhere">{path}</code>
              <span className="text-ink-soft">
                {change} · +{additions} −{deletions}
              </span>
            </p>
            <Lines path={path} lines={shown[index] ?? []} />
          </li>
        ))}
      </ul>
      {(diff_truncated || files.length > MAX_SHOWN_FILES) && (
        <p className="text-sm text-ink-soft">The diff of {files.length} files is shown in part.</p>
      )}
      {children}
    </div>
  );
}

const TONES: Record<DiffLine['kind'], string> = {
  added: 'bg-good-soft',
  removed: 'bg-bad-soft',
  same: '',
  place: 'bg-sunken text-ink-soft',
};

function Lines({ path, lines }: { path: string; lines: readonly DiffLine[] }) {
  if (lines.length === 0) return null;
  return (
    <ScrollBox label={`Changes of ${path}`} className="max-h-96 border-t font-mono text-xs">
      <div className="w-max min-w-full py-1">
        {lines.slice(0, MAX_SHOWN_LINES).map(({ kind, text }, index) => (
          // oxlint-disable-next-line react/no-array-index-key -- lines never move
          <div key={index} className={clsx('px-3 whitespace-pre', TONES[kind])}>
            {text === '' ? ' ' : text}
          </div>
        ))}
      </div>
    </ScrollBox>
  );
}
