import { useEffect, useState } from 'react';
import { Button } from '../../../components/ui/button.tsx';
import { Input } from '../../../components/ui/field.tsx';

export interface SaveBarProps {
  isUnsaved: boolean;
  isSaving: boolean;
  /** Why saving is not possible right now. */
  why: string | undefined;
  /** @param onSaved called after saving; until then the reason is kept */
  onSave: (reason: string, onSaved: () => void) => void;
  /** Validates without saving. */
  onCheck: () => void;
  onDiscard: () => void;
}

/** Stays at the bottom of the window while there are unsaved edits. */
export function SaveBar({ isUnsaved, isSaving, why, onSave, onCheck, onDiscard }: SaveBarProps) {
  const [reason, setReason] = useState('');
  // The bar must not cover the focused element.
  useEffect(() => {
    if (!isUnsaved) return undefined;
    const { style } = document.documentElement;
    style.scrollPaddingBottom = '9rem';
    return () => {
      style.scrollPaddingBottom = '';
    };
  }, [isUnsaved]);
  if (!isUnsaved) return null;
  return (
    <form
      aria-label="Save the plan"
      className="sticky bottom-2 z-20 flex flex-wrap items-center gap-2 rounded-lg border border-line-strong bg-surface p-3 shadow-pop"
      onSubmit={(event) => {
        event.preventDefault();
        if (why !== undefined) return;
        onSave(reason, () => setReason(''));
      }}
    >
      <span className="w-full text-sm font-medium sm:w-auto">Unsaved changes</span>
      <Input
        aria-label="Reason for the change"
        placeholder="Reason (kept in the history)"
        className="min-w-0 flex-1 basis-full sm:basis-40"
        maxLength={1_000}
        value={reason}
        onChange={(event) => setReason(event.target.value)}
      />
      <div className="ml-auto flex gap-2">
        <Button onClick={onDiscard} disabled={isSaving}>
          Discard
        </Button>
        <Button onClick={onCheck} disabled={isSaving || why !== undefined}>
          Validate
        </Button>
        <Button type="submit" variant="primary" disabled={isSaving || why !== undefined}>
          Save
        </Button>
      </div>
      {why !== undefined && <p className="line-clamp-2 w-full text-sm break-words text-warn">{why}</p>}
    </form>
  );
}
