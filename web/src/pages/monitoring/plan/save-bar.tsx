import { useState } from 'react';
import { Button } from '../../../components/ui/button.tsx';
import { Input } from '../../../components/ui/field.tsx';

export interface SaveBarProps {
  isUnsaved: boolean;
  isSaving: boolean;
  /** Why it cannot be saved just now. */
  why: string | undefined;
  onSave: (reason: string) => void;
  onDiscard: () => void;
}

/** Stays at the bottom of the window while something is not saved. */
export function SaveBar({ isUnsaved, isSaving, why, onSave, onDiscard }: SaveBarProps) {
  const [reason, setReason] = useState('');
  if (!isUnsaved) return null;
  return (
    <form
      aria-label="Save the plan"
      className="sticky bottom-2 z-20 flex flex-wrap items-center gap-2 rounded-lg border border-line-strong bg-surface p-3 shadow-pop"
      onSubmit={(event) => {
        event.preventDefault();
        if (why !== undefined) return;
        onSave(reason);
        setReason('');
      }}
    >
      <span className="w-full text-sm font-medium sm:w-auto">Not saved</span>
      <Input
        aria-label="Why it is changed"
        placeholder="Why? It is kept in the history."
        className="min-w-0 flex-1 basis-40"
        maxLength={1_000}
        value={reason}
        onChange={(event) => setReason(event.target.value)}
      />
      <Button onClick={onDiscard} disabled={isSaving}>
        Discard
      </Button>
      <Button type="submit" variant="primary" disabled={isSaving || why !== undefined}>
        {isSaving ? 'Saving …' : 'Save'}
      </Button>
      {why !== undefined && <p className="line-clamp-2 w-full text-sm break-words text-warn">{why}</p>}
    </form>
  );
}
