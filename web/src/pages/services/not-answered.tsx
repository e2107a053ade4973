import { useQuery } from '@tanstack/react-query';
import { sourcesQuery } from '../../components/connect-source.tsx';
import { Failed } from '../../components/ui/states.tsx';

/** Says so, and tries again, if the sources are not known: nothing about their services is then. */
export function SourcesFailed() {
  const { error, refetch } = useQuery(sourcesQuery);
  return error === null ? null : <Failed error={error} onRetry={() => void refetch()} />;
}

/** Which sources did not answer: what they know is missing. */
export function NotAnswered({ titles }: { titles: readonly string[] }) {
  if (titles.length === 0) return null;
  return (
    <p role="note" className="mb-3 text-sm break-words text-warn">
      No response from {new Intl.ListFormat('en').format(new Set(titles))}. Data from{' '}
      {titles.length === 1 ? 'this source' : 'these sources'} is missing.
    </p>
  );
}

/** Which sources have more than is shown. */
export function Truncated({ what, titles }: { what: string; titles: readonly string[] }) {
  if (titles.length === 0) return null;
  return (
    <p role="note" className="mb-4 text-sm text-ink-soft">
      <bdi>{[...new Set(titles)].join(', ')}</bdi> {new Set(titles).size === 1 ? 'has' : 'have'} more {what} than are
      shown.
    </p>
  );
}
