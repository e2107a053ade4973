/** A file as it was after a commit, compared with what it is now. */
import { useQuery } from '@tanstack/react-query';
import { lazy, Suspense } from 'react';
import { Button } from '../../components/ui/button.tsx';
import { Failed, Loading } from '../../components/ui/states.tsx';
import { fileQuery } from './queries.ts';

const Editor = lazy(async () => ({ default: (await import('./editor.tsx')).Editor }));

export interface OldVersionProps {
  path: string;
  at: string;
  /** The file as it is now. */
  current: string;
  /** Takes this version into the editor; absent for who may not change the file. */
  onRestore?: (old: string) => void;
}

export function OldVersion({ path, at, current, onRestore }: OldVersionProps) {
  const { data, error, refetch } = useQuery(fileQuery(path, at));
  if (error !== null) return <Failed error={error} onRetry={() => void refetch()} />;
  if (data === undefined) return <Loading lines={12} />;
  const { content } = data;
  return (
    <>
      <p className="text-sm text-ink-soft">
        {content === current
          ? 'This version is the current one.'
          : 'As it was after this commit, in green; red is what the file has now.'}
      </p>
      {onRestore !== undefined && content !== null && content !== current && (
        <Button size="small" className="self-start" onClick={() => onRestore(content)}>
          Edit this version
        </Button>
      )}
      <Suspense fallback={<Loading lines={12} />}>
        <Editor path={path} text={content ?? ''} original={current} label={`Earlier version of ${path}`} isReadOnly />
      </Suspense>
    </>
  );
}
