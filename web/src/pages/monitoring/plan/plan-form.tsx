/** The plan as a form: its summary and its checks. */
import { Plus, Undo2 } from 'lucide-react';
import { useRef, useState } from 'react';
import { Button } from '../../../components/ui/button.tsx';
import { Textarea } from '../../../components/ui/field.tsx';
import { Menu, MenuItem } from '../../../components/ui/menu.tsx';
import { count } from '../../../components/ui/numbers.ts';
import { Empty } from '../../../components/ui/states.tsx';
import { CheckCard } from './check-card.tsx';
import { addCheck, duplicateCheck, moveCheck, removeCheck, withCheck, type PlanDraft } from './draft.ts';
import { fieldElementId, nameOf, type IssueMap } from './issues.ts';
import { CHECK_KINDS } from './kinds.ts';
import { Labelled } from './labelled.tsx';
import { SuggestionLists } from './suggestion-lists.tsx';
import { useOffered } from './suggestions.ts';

export interface PlanFormProps {
  draft: PlanDraft;
  onChange: (draft: PlanDraft) => void;
  issues: IssueMap;
  disabled: boolean;
  /** The keys of the expanded checks. */
  open: ReadonlySet<string>;
  onOpen: (open: ReadonlySet<string>) => void;
  /** Moves focus once the change has rendered. */
  onFocus: (elementId: string) => void;
}

export function PlanForm({ draft, onChange, issues, disabled, open, onOpen, onFocus }: PlanFormProps) {
  const [removed, setRemoved] = useState<{ name: string; before: PlanDraft; after: PlanDraft }>();
  const offered = useOffered(draft);
  const { checks } = draft;
  /** Where focus goes when the menu closes. */
  const chosen = useRef<string>(undefined);
  const show = (next: { draft: PlanDraft; added: { key: string } } | undefined): string | undefined => {
    if (!next) return undefined;
    onChange(next.draft);
    onOpen(new Set([...open, next.added.key]));
    return fieldElementId(next.added.key, 'title');
  };
  const remove = (key: string, index: number): void => {
    const after = removeCheck(draft, key);
    setRemoved({ name: nameOf(checks[index]?.value, index), before: draft, after });
    onChange(after);
    onFocus('undo-removal');
  };
  const summaryIssues = issues.ofPlan.filter(({ path }) => path === 'summary').map(({ message }) => message);
  return (
    <div className="flex flex-col gap-4">
      <SuggestionLists lists={offered.lists} />
      <div className="rounded-lg border bg-surface p-4">
        <Labelled
          elementId="plan-summary"
          label="Summary"
          hint="What the agent watches, in a sentence or two."
          error={summaryIssues.length === 0 ? undefined : summaryIssues.join('. ')}
          isWide={false}
        >
          {(control) => (
            <Textarea
              {...control}
              rows={2}
              className="min-h-14"
              disabled={disabled}
              value={draft.summary}
              onChange={(event) => onChange({ ...draft, summary: event.target.value })}
            />
          )}
        </Labelled>
      </div>
      <div className="flex flex-wrap items-center gap-2">
        <p className="min-w-0 flex-1 text-sm text-ink-soft">{count(checks.length, 'check')}</p>
        {!disabled && (
          <Menu
            onCloseAutoFocus={(event) => {
              if (chosen.current === undefined) return;
              event.preventDefault();
              onFocus(chosen.current);
              chosen.current = undefined;
            }}
            trigger={
              <Button size="small" disabled={checks.length >= 50}>
                <Plus aria-hidden size={16} /> Add check
              </Button>
            }
          >
            {CHECK_KINDS.map(({ value, title, hint }) => (
              <MenuItem
                key={value}
                onSelect={() => {
                  chosen.current = show(addCheck(draft, value));
                }}
              >
                <span>
                  <span className="block font-medium">{title}</span>
                  <span className="block max-w-64 text-ink-soft">{hint}</span>
                </span>
              </MenuItem>
            ))}
          </Menu>
        )}
      </div>
      {removed?.after === draft && (
        <p className="flex flex-wrap items-center gap-2 rounded-md bg-sunken px-3 py-1.5 text-sm">
          <span className="line-clamp-1 min-w-0 flex-1 break-all">Removed: {removed.name}</span>
          <Button id="undo-removal" size="small" onClick={() => onChange(removed.before)}>
            <Undo2 aria-hidden size={14} /> Undo
          </Button>
        </p>
      )}
      {checks.length === 0 && <Empty title="No checks">Add one, or tell the agent what to watch.</Empty>}
      <ul className="flex flex-col gap-2">
        {checks.map((check, index) => (
          <CheckCard
            key={check.key}
            check={check}
            index={index}
            count={checks.length}
            isOpen={open.has(check.key)}
            onOpen={(isOpen) => {
              const next = new Set(open);
              if (isOpen) next.add(check.key);
              else next.delete(check.key);
              onOpen(next);
            }}
            onChange={(value) => onChange(withCheck(draft, check.key, value))}
            onMove={(by) => {
              onChange(moveCheck(draft, check.key, by));
              // At either end this button is disabled and loses focus; the other one takes it.
              const isAtEnd = index + by === 0 || index + by === checks.length - 1;
              onFocus(`${check.key}-${(by === -1) === isAtEnd ? 'down' : 'up'}`);
            }}
            onDuplicate={() => {
              const title = show(duplicateCheck(draft, check.key));
              if (title !== undefined) onFocus(title);
            }}
            onRemove={() => remove(check.key, index)}
            issues={issues}
            disabled={disabled}
            lists={offered.idsFor(check.value)}
          />
        ))}
      </ul>
    </div>
  );
}
