import { Badge, type Tone } from '../../../components/ui/badge.tsx';
import { planDifferences, type Difference } from './differences.ts';

const KINDS: Record<Difference['kind'], { tone: Tone; word: string }> = {
  added: { tone: 'good', word: 'Added' },
  removed: { tone: 'bad', word: 'Removed' },
  changed: { tone: 'accent', word: 'Changed' },
  moved: { tone: 'neutral', word: 'Moved' },
};

export interface DifferenceViewProps {
  before: { summary?: unknown; checks?: readonly unknown[] };
  after: { summary?: unknown; checks?: readonly unknown[] };
}

/** The differences between two plans: the old value struck out, the new one below. */
export function DifferenceView({ before, after }: DifferenceViewProps) {
  const differences = planDifferences(before, after);
  if (differences.length === 0) return <p className="text-ink-soft">No differences.</p>;
  return (
    <ul className="flex flex-col gap-3">
      {differences.map(({ title, kind, changes }, index) => (
        // oxlint-disable-next-line react/no-array-index-key -- titles may be equal
        <li key={index} className="rounded-md border">
          <div className="flex items-center gap-2 border-b bg-sunken px-3 py-1.5">
            <span className="line-clamp-2 min-w-0 flex-1 text-sm font-medium break-words">
              <bdi>{title}</bdi>
            </span>
            <Badge tone={KINDS[kind].tone}>{KINDS[kind].word}</Badge>
          </div>
          <dl className="grid gap-x-4 gap-y-1 px-3 py-2 text-sm sm:grid-cols-[minmax(8rem,auto)_minmax(0,1fr)]">
            {changes.map((change) => (
              <div key={change.place + change.before + change.after} className="contents">
                <dt className="text-ink-soft">{change.place}</dt>
                <dd className="flex min-w-0 flex-col break-words">
                  {change.before !== undefined && (
                    <del className="line-clamp-6 text-bad">
                      <span className="sr-only">before: </span>
                      {change.before === '' ? 'empty' : change.before}
                    </del>
                  )}
                  {change.after !== undefined && (
                    <ins className="line-clamp-6 text-good no-underline">
                      <span className="sr-only">after: </span>
                      {change.after === '' ? 'empty' : change.after}
                    </ins>
                  )}
                </dd>
              </div>
            ))}
          </dl>
        </li>
      ))}
    </ul>
  );
}
