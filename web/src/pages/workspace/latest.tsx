/** What has changed while the page is open. */
import { Link } from '@tanstack/react-router';
import { Time } from '../../components/ui/time.tsx';
import type { LiveCommit, LiveState } from './live.ts';

const SHOWN_PATHS = 3;
const WORDS: Record<LiveState, string> = {
  connecting: 'Connecting…',
  live: 'Live: changes by others appear as they are made.',
  reconnecting: 'Reconnecting…',
};

export function Latest({ commits, state }: { commits: readonly LiveCommit[]; state: LiveState }) {
  return (
    <section aria-label="Latest changes" className="flex flex-col gap-2 border-t pt-3 text-sm">
      <p role="status" className={state === 'reconnecting' ? 'text-warn' : 'text-ink-soft'}>
        {WORDS[state]}
      </p>
      <ul className="flex flex-col gap-2">
        {commits.map(({ commit, author, at, paths }) => (
          <li key={commit}>
            <bdi className="font-medium wrap-anywhere">{author}</bdi>{' '}
            <span className="text-ink-soft">
              <Time at={at} />
            </span>
            {paths.slice(0, SHOWN_PATHS).map(({ path, change }) => (
              <div key={path} className="wrap-anywhere">
                {change === 'deleted' ? (
                  <bdi className="text-ink-soft line-through">{path}</bdi>
                ) : (
                  <Link to="/workspace" search={{ path }} className="text-accent">
                    <bdi>{path}</bdi>
                  </Link>
                )}
              </div>
            ))}
            {paths.length > SHOWN_PATHS && <div className="text-ink-soft">and {paths.length - SHOWN_PATHS} more</div>}
          </li>
        ))}
      </ul>
    </section>
  );
}
