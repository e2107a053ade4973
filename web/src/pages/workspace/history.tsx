/** The commits that changed a file. */
import { useInfiniteQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { Button } from '../../components/ui/button.tsx';
import { Panel } from '../../components/ui/panel.tsx';
import { Failed, Loading } from '../../components/ui/states.tsx';
import { Time } from '../../components/ui/time.tsx';
import { historyQuery } from './queries.ts';

/** @param at the commit that is shown */
export function FileHistory({ path, at }: { path: string; at?: string }) {
  const { data, error, refetch, hasNextPage, fetchNextPage, isFetchingNextPage } = useInfiniteQuery(historyQuery(path));
  const commits = data?.pages.flatMap((page) => page.commits) ?? [];
  return (
    <Panel title="History">
      {error !== null && <Failed error={error} onRetry={() => void refetch()} />}
      {data === undefined && error === null && <Loading />}
      {data !== undefined && commits.length === 0 && <p className="text-ink-soft">No commits.</p>}
      <ol aria-label="Commits" className="flex flex-col gap-2">
        {commits.map(({ id, author, at: time, message }) => (
          <li key={id} className="text-sm">
            <Link
              to="/workspace"
              search={{ path, view: 'history', at: id }}
              aria-current={id === at ? 'true' : undefined}
              className="font-medium text-accent wrap-anywhere aria-[current]:underline"
            >
              <bdi>{message.split('\n')[0]}</bdi>
            </Link>
            <div className="flex flex-wrap gap-x-2 text-ink-soft">
              <bdi className="wrap-anywhere">{author}</bdi>
              <Time at={time} />
              <code className="font-mono">{id.slice(0, 10)}</code>
            </div>
          </li>
        ))}
      </ol>
      {hasNextPage && (
        <Button size="small" className="mt-3" disabled={isFetchingNextPage} onClick={() => void fetchNextPage()}>
          Show older commits
        </Button>
      )}
    </Panel>
  );
}
