/** A file as it was after a commit, compared with what it is now. */
import { useQuery } from '@tanstack/react-query';
import { lazy, Suspense } from 'react';
import { Failed, Loading } from '../../components/ui/states.tsx';
import { fileQuery } from './queries.ts';

const Editor = lazy(async () => ({ default: (await import('./editor.tsx')).Editor }));

export function OldVersion({ path, at, current }: { path: string; at: string; current: string }) {
  const { data, error, refetch } = useQuery(fileQuery(path, at));
  if (error !== null) return <Failed error={error} onRetry={() => void refetch()} />;
  if (data === undefined) return <Loading lines={12} />;
  return (
    <>
      <p className="text-sm text-ink-soft">
        {data.content === current
          ? 'This version is the current one.'
          : 'As it was after this commit, in green; red is what the file has now.'}
      </p>
      <Suspense fallback={<Loading lines={12} />}>
        <Editor
          path={path}
          text={data.content ?? ''}
          original={current}
          label={`Earlier version of ${path}`}
          isReadOnly
        />
      </Suspense>
    </>
  );
}
