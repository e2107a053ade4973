/** Somebody else saved the file meanwhile: their text, and what is different in yours. */
import { lazy, Suspense } from 'react';
import { Button } from '../../components/ui/button.tsx';
import { Loading } from '../../components/ui/states.tsx';
import type { WorkspaceFile } from './queries.ts';

const Editor = lazy(async () => ({ default: (await import('./editor.tsx')).Editor }));

export interface ConflictProps {
  /** As others have saved it. */
  theirs: WorkspaceFile;
  mine: string;
  /** Who saved it, if that was seen. */
  author?: string;
  isSaving: boolean;
  onChange: (text: string) => void;
  onSave: () => void;
  onDiscard: () => void;
}

export function Conflict({ theirs, mine, author, isSaving, onChange, onSave, onDiscard }: ConflictProps) {
  return (
    <section aria-label="Conflict" className="flex min-w-0 flex-col gap-3">
      <div role="alert" className="rounded-lg border border-warn bg-warn-soft px-4 py-3 text-warn">
        <p className="font-medium">
          <bdi>{author ?? 'Someone else'}</bdi> changed this file while you were editing it.
        </p>
        <p>
          Nothing was overwritten. Red is their text, green is yours; save your version once it has what should stay.
        </p>
      </div>
      <div className="flex flex-wrap gap-2">
        <Button variant="primary" disabled={isSaving} onClick={onSave}>
          Save my version
        </Button>
        <Button disabled={isSaving} onClick={onDiscard}>
          Use their version
        </Button>
      </div>
      <Suspense fallback={<Loading lines={12} />}>
        <Editor
          path={theirs.path}
          text={mine}
          label={`Your version of ${theirs.path}`}
          isReadOnly={false}
          original={theirs.content ?? ''}
          controls
          onChange={onChange}
          onSave={onSave}
        />
      </Suspense>
    </section>
  );
}
