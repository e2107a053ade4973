/** The team's files: browsed, searched, read and edited, with the changes of others as they are made. */
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { useCallback, useState } from 'react';
import { may, sessionQuery } from '../../api/session.ts';
import { PageHead } from '../../components/ui/panel.tsx';
import { SearchField } from '../../components/ui/search-field.tsx';
import { Empty } from '../../components/ui/states.tsx';
import { FileView } from './file-view.tsx';
import { Latest } from './latest.tsx';
import { useLive, type LiveCommit, type LiveMessage } from './live.ts';
import { NewFile } from './new-file.tsx';
import { WORKSPACE } from './queries.ts';
import { SearchResults } from './search-results.tsx';
import { Tree } from './tree.tsx';

const route = getRouteApi('/signed-in/workspace');
const MAX_LATEST = 5;

export function WorkspacePage() {
  const { path, q: pattern = '', flags = 'i', view, at } = route.useSearch();
  const navigate = route.useNavigate();
  const { data: session } = useQuery(sessionQuery);
  const client = useQueryClient();
  const [latest, setLatest] = useState<readonly LiveCommit[]>([]);
  const state = useLive((message: LiveMessage) => {
    if (message.type === 'ready') return;
    if (message.type === 'commit') setLatest((shown) => [message, ...shown].slice(0, MAX_LATEST));
    // Old versions never change.
    const isOfNow = ({ queryKey }: { queryKey: readonly unknown[] }): boolean =>
      queryKey[1] !== 'search' && !(queryKey[1] === 'file' && queryKey[3] !== undefined);
    void client.invalidateQueries({ queryKey: WORKSPACE, predicate: isOfNow });
  });
  const onSearch = useCallback(
    (text: string) =>
      void navigate({
        search: ({ q: _before, ...rest }) => (text === '' ? rest : { ...rest, q: text }),
        replace: true,
      }),
    [navigate],
  );
  const author = latest.find(({ paths }) => paths.some((changed) => changed.path === path))?.author;
  const isPlain = flags.includes('F');
  return (
    <>
      <title>{`${path === undefined ? 'Files' : path.slice(-200)} · Casebook`}</title>
      <PageHead
        title="Files"
        description="Runbooks, queries and notes of your team. The folder repos mirrors connected repositories."
        actions={may(session, 'workspace:write') && <NewFile />}
      />
      <div className="grid items-start gap-4 lg:grid-cols-[20rem_minmax(0,1fr)]">
        <div className={path === undefined ? 'flex min-w-0 flex-col gap-3' : 'hidden min-w-0 flex-col gap-3 lg:flex'}>
          <SearchField label="Search files" value={pattern} onSearch={onSearch} />
          {pattern !== '' && (
            <label className="flex items-center gap-2 text-sm">
              <input
                type="checkbox"
                checked={!isPlain}
                onChange={() =>
                  void navigate({ search: (all) => ({ ...all, flags: isPlain ? 'i' : 'iF' }), replace: true })
                }
              />
              Regular expression
            </label>
          )}
          {pattern !== '' && <SearchResults pattern={pattern} flags={flags} />}
          <nav aria-label="Files" className={pattern === '' ? '' : 'border-t pt-3'}>
            <Tree {...(path !== undefined && { openPath: path })} />
          </nav>
          <Latest commits={latest} state={state} />
        </div>
        {path === undefined ? (
          <div className="hidden lg:block">
            <Empty title="No file open">Open one from the list, or search.</Empty>
          </div>
        ) : (
          <div className="min-w-0">
            <Link
              to="/workspace"
              search={pattern === '' ? {} : { q: pattern, flags }}
              className="mb-2 inline-block text-sm text-accent lg:hidden"
            >
              All files
            </Link>
            <FileView
              key={path}
              path={path}
              isHistoryShown={view === 'history'}
              {...(at !== undefined && { at })}
              {...(author !== undefined && { author })}
            />
          </div>
        )}
      </div>
    </>
  );
}
