/** A unified diff, as Git writes it, with its lines marked. */
import { clsx } from 'clsx';
import { ScrollBox } from '../ui/scroll-box.tsx';
import { linesOf, type DiffLine } from './lines.ts';

const MARKS: Record<DiffLine['kind'], string> = {
  added: 'bg-good-soft',
  removed: 'bg-bad-soft',
  file: 'bg-sunken font-semibold',
  hunk: 'text-accent',
  note: 'text-ink-soft',
  same: '',
};

/** @param label for screen readers */
export function UnifiedDiff({ diff, label = 'Diff' }: { diff: string; label?: string }) {
  return (
    <ScrollBox label={label} className="max-h-96 bg-surface font-mono text-xs">
      <div className="w-max min-w-full">
        {linesOf(diff).map(({ kind, text }, index) => (
          // oxlint-disable-next-line react/no-array-index-key -- a diff does not change
          <div key={index} className={clsx('px-3 whitespace-pre', MARKS[kind])}>
            {text === '' ? ' ' : text}
          </div>
        ))}
      </div>
    </ScrollBox>
  );
}
