/** One file: read, edited and saved. */
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { lazy, Suspense, useState } from 'react';
import { ApiError } from '../../api/client.ts';
import { may, sessionQuery } from '../../api/session.ts';
import { Badge } from '../../components/ui/badge.tsx';
import { Button } from '../../components/ui/button.tsx';
import { Confirm } from '../../components/ui/dialog.tsx';
import { Empty, Failed, Loading } from '../../components/ui/states.tsx';
import { useToaster } from '../../components/ui/toast.tsx';
import { Conflict } from './conflict.tsx';
import { FileHistory } from './history.tsx';
import { OldVersion } from './old-version.tsx';
import { deletePath, fileQuery, WORKSPACE, writeFile, type WorkspaceFile } from './queries.ts';
import { keepUnsaved, readUnsaved, type Unsaved } from './unsaved.ts';

const Editor = lazy(async () => ({ default: (await import('./editor.tsx')).Editor }));

export interface FileViewProps {
  path: string;
  isHistoryShown: boolean;
  /** The commit whose version is shown. */
  at?: string;
  /** Who changed the file last, if that was seen. */
  author?: string;
}

export function FileView({ path, isHistoryShown, at, author }: FileViewProps) {
  const client = useQueryClient();
  const navigate = useNavigate();
  const toaster = useToaster();
  const { data: session } = useQuery(sessionQuery);
  const { data: file, error, refetch } = useQuery(fileQuery(path));
  const [unsaved, setUnsaved] = useState(() => readUnsaved(path));
  const [isDeleting, setIsDeleting] = useState(false);
  const keep = (next: Unsaved | undefined): void => {
    keepUnsaved(path, next);
    setUnsaved(next);
  };

  const save = useMutation({
    mutationFn: ({ text, base }: { text: string; base: string | null }) => writeFile(path, text, base),
    onSuccess: ({ id, commit, size }, { text }) => {
      client.setQueryData(
        fileQuery(path).queryKey,
        (shown) => shown && { ...shown, id: id ?? shown.id, commit, size: size ?? shown.size, content: text },
      );
      // What was typed meanwhile is based on what has just been saved.
      setUnsaved((current) => {
        const next =
          current === undefined || current.text === text || id === null ? undefined : { ...current, base: id };
        keepUnsaved(path, next);
        return next;
      });
      toaster.say('Saved.');
      void client.invalidateQueries({ queryKey: WORKSPACE });
    },
    onError: async (failure, { text }) => {
      if (!(failure instanceof ApiError) || failure.status !== 412) return toaster.fail(failure);
      const { data: newest } = await refetch();
      // An answer that was lost: the file has our text.
      if (newest?.content === text) keep(undefined);
      return undefined;
    },
  });
  const remove = useMutation({
    mutationFn: (base: string) => deletePath(path, base),
    onSuccess: async () => {
      keepUnsaved(path, undefined);
      await navigate({ to: '/workspace', search: {} });
      void client.invalidateQueries({ queryKey: WORKSPACE });
    },
    onError: (failure) => toaster.fail(failure),
  });

  const isGone = error instanceof ApiError && error.status === 404;
  if (isGone && unsaved === undefined) return <Empty title="File not found">It may have been deleted.</Empty>;
  if (isGone && unsaved !== undefined)
    return (
      <Empty title="This file was deleted while you were editing it">
        <div className="mt-3 flex flex-wrap justify-center gap-2">
          <Button onClick={() => save.mutate({ text: unsaved.text, base: null })}>Save as a new file</Button>
          <Button variant="quiet" onClick={() => keep(undefined)}>
            Discard my changes
          </Button>
        </div>
      </Empty>
    );
  if (error !== null) return <Failed error={error} onRetry={() => void refetch()} />;
  if (file === undefined) return <Loading lines={12} />;

  const isEditable = may(session, 'workspace:write') && !file.read_only && file.kind === 'text' && !file.truncated;
  const text = unsaved?.text ?? file.content ?? '';
  const isStale = isEditable && unsaved !== undefined && unsaved.base !== file.id;
  const onChange = (typed: string): void => {
    const base = isStale ? unsaved.base : file.id;
    keep(typed === file.content && !isStale ? undefined : { base, text: typed });
  };
  const onSave = (): void => {
    if (isEditable && unsaved !== undefined && !save.isPending) save.mutate({ text: unsaved.text, base: file.id });
  };
  return (
    <div className="flex min-w-0 flex-col gap-3">
      <div className="flex flex-wrap items-center gap-2">
        <h2 className="min-w-0 flex-1 basis-40 max-sm:basis-full font-mono text-sm font-semibold wrap-anywhere">
          <bdi>{path}</bdi>
        </h2>
        {file.read_only && <Badge tone="neutral">Mirror, read-only</Badge>}
        {unsaved !== undefined && isEditable && <Badge tone="warn">Unsaved</Badge>}
        {isEditable && !isStale && at === undefined && (
          <Button variant="primary" size="small" disabled={unsaved === undefined || save.isPending} onClick={onSave}>
            Save
          </Button>
        )}
        {!file.read_only && (
          <Button size="small" asChild>
            <Link to="/workspace" search={isHistoryShown ? { path } : { path, view: 'history' }}>
              {isHistoryShown ? 'Hide history' : 'History'}
            </Link>
          </Button>
        )}
        {isEditable && (
          <Button variant="quiet" size="small" onClick={() => setIsDeleting(true)}>
            Delete
          </Button>
        )}
      </div>
      {at !== undefined && (
        <OldVersion
          path={path}
          at={at}
          current={file.content ?? ''}
          {...(isEditable && {
            onRestore: (old: string) => {
              keep({ base: file.id, text: old });
              void navigate({ to: '/workspace', search: { path } });
            },
          })}
        />
      )}
      {at === undefined && isStale && (
        <Conflict
          theirs={file}
          mine={text}
          {...(author !== undefined && { author })}
          isSaving={save.isPending}
          onChange={onChange}
          onSave={onSave}
          onDiscard={() => keep(undefined)}
        />
      )}
      {at === undefined && !isStale && (
        <Shown file={file} text={text} isEditable={isEditable} onChange={onChange} onSave={onSave} />
      )}
      {isHistoryShown && <FileHistory path={path} {...(at !== undefined && { at })} />}
      <Confirm
        open={isDeleting}
        onOpenChange={setIsDeleting}
        title={`Delete ${path}?`}
        description="Its history stays, so that it can be brought back."
        action="Delete"
        onConfirm={() => remove.mutate(file.id)}
      />
    </div>
  );
}

function Shown(props: {
  file: WorkspaceFile;
  text: string;
  isEditable: boolean;
  onChange: (text: string) => void;
  onSave: () => void;
}) {
  const { file, text, isEditable, onChange, onSave } = props;
  if (file.kind === 'link')
    return (
      <Empty title="A symbolic link">
        to <code className="font-mono wrap-anywhere">{file.content}</code>, which is not followed
      </Empty>
    );
  if (file.kind !== 'text') return <Empty title={file.kind === 'large' ? 'Too large to show' : 'Not text'} />;
  return (
    <>
      {file.truncated && <p className="text-sm text-warn">Only the beginning of this file is shown.</p>}
      <Suspense fallback={<Loading lines={12} />}>
        <Editor
          path={file.path}
          text={text}
          label={`Content of ${file.path}`}
          isReadOnly={!isEditable}
          onChange={onChange}
          onSave={onSave}
        />
      </Suspense>
    </>
  );
}
