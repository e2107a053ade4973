/** Lines that match a search, by file. */
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { count } from '../../components/ui/numbers.ts';
import { Failed, Loading } from '../../components/ui/states.tsx';
import { searchQuery } from './queries.ts';

/** @param flags as the API takes them */
export function SearchResults({ pattern, flags }: { pattern: string; flags: string }) {
  const { data, error, refetch } = useQuery(searchQuery(pattern, flags));
  if (error !== null) return <Failed error={error} onRetry={() => void refetch()} />;
  if (data === undefined) return <Loading />;
  const byFile = Map.groupBy(data.matches, ({ path }) => path);
  return (
    <section aria-label="Search results" className="flex flex-col gap-3">
      <p role="status" className="text-sm text-ink-soft">
        {data.matches.length === 0
          ? 'No matching lines.'
          : `${count(data.matches.length, 'line')} in ${count(byFile.size, 'file')}${data.truncated ? ', and there are more' : ''}.`}
      </p>
      {[...byFile].map(([path, matches]) => (
        <div key={path} className="min-w-0">
          <Link
            to="/workspace"
            search={{ path, q: pattern, flags }}
            className="text-sm font-medium text-accent wrap-anywhere"
          >
            <bdi>{path}</bdi>
          </Link>
          <ul className="font-mono text-xs">
            {matches.map(({ line, text }) => (
              <li key={line} className="flex gap-2">
                <span className="w-10 shrink-0 text-right text-ink-soft tabular-nums">{line}</span>
                <span className="min-w-0 whitespace-pre-wrap wrap-anywhere">{text}</span>
              </li>
            ))}
          </ul>
        </div>
      ))}
    </section>
  );
}
