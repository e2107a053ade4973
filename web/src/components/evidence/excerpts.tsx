import { Badge } from '../ui/badge.tsx';
import { count } from '../ui/numbers.ts';
import type { CitedExcerpt } from './evidence.ts';

/** The rest is folded: people came for the result below, where excerpts are marked. */
const MAX_SHOWN = 3;

/** The cited excerpts, word for word, and whether each is in the result. Unverified ones come first. */
export function Excerpts({ excerpts }: { excerpts: readonly CitedExcerpt[] }) {
  const ordered = excerpts.toSorted((a, b) => Number(a.verified) - Number(b.verified));
  const shown = Math.max(MAX_SHOWN, ordered.filter(({ verified }) => !verified).length);
  const folded = ordered.slice(shown);
  return (
    <section>
      <h3 className="mb-2 text-sm font-semibold">Cited excerpts</h3>
      <ExcerptList excerpts={ordered.slice(0, shown)} />
      {folded.length > 0 && (
        <details className="mt-2">
          <summary className="w-fit py-0.5 text-sm text-ink-soft">
            {count(folded.length, 'more verified excerpt', 'more verified excerpts')}
          </summary>
          <ExcerptList excerpts={folded} />
        </details>
      )}
    </section>
  );
}

/** Excerpts word for word, and whether each is in the result. */
export const ExcerptList = ({ excerpts }: { excerpts: readonly CitedExcerpt[] }) => (
  <ul className="flex flex-col gap-1.5">
    {excerpts.map(({ text, verified, offset }) => (
      <li
        key={`${offset} ${text}`}
        className="flex flex-wrap items-start gap-x-2.5 gap-y-1 rounded-md border bg-ground px-3 py-2"
      >
        {verified ? <Badge tone="good">Verified</Badge> : <Badge tone="warn">Not verified</Badge>}
        <code className="min-w-48 flex-1 font-mono text-xs leading-5 break-words whitespace-pre-wrap">{text}</code>
        {!verified && <span className="basis-full text-sm text-warn">This text is not in the result.</span>}
      </li>
    ))}
  </ul>
);
