/** The plan as JSON, for those who prefer it. */
import { useState } from 'react';
import { CopyButton } from '../../../components/ui/copy-button.tsx';
import { Field, Textarea } from '../../../components/ui/field.tsx';
import { planIn, readDraft, type PlanDraft } from './draft.ts';

export interface PlanJsonProps {
  draft: PlanDraft;
  onChange: (draft: PlanDraft) => void;
  /** Why the text is not a plan. */
  problem: string | undefined;
  onProblem: (problem: string | undefined) => void;
  disabled: boolean;
}

export function PlanJson({ draft, onChange, problem, onProblem, disabled }: PlanJsonProps) {
  const [text, setText] = useState(() => written(draft));
  const [known, setKnown] = useState(draft);
  // Another version was loaded, or the edits were discarded.
  if (known !== draft) {
    setKnown(draft);
    setText(written(draft));
  }
  const write = (next: string): void => {
    setText(next);
    const read = readDraft(next, draft);
    onProblem('problem' in read ? read.problem : undefined);
    if ('problem' in read) return;
    setKnown(read.draft);
    onChange(read.draft);
  };
  return (
    <div className="flex flex-col gap-2 rounded-lg border bg-surface p-4">
      <Field label="Plan as JSON" error={problem}>
        {(control) => (
          <Textarea
            {...control}
            rows={28}
            spellCheck={false}
            disabled={disabled}
            className="font-mono text-sm"
            value={text}
            onChange={(event) => write(event.target.value)}
          />
        )}
      </Field>
      <div>
        <CopyButton size="small" text={() => text}>
          Copy
        </CopyButton>
      </div>
    </div>
  );
}

const written = (draft: PlanDraft): string => JSON.stringify(planIn(draft), undefined, 2);
