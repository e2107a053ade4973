/** Edits a plan, as a form or as JSON. */
import { useBlocker } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import { Confirm } from '../../../components/ui/dialog.tsx';
import { Button } from '../../../components/ui/button.tsx';
import type { AgentPlan } from '../queries.ts';
import { Checked } from './checked.tsx';
import { Conflict } from './conflict.tsx';
import { planIn } from './draft.ts';
import { IssueSummary } from './issue-summary.tsx';
import { targetOf, type PlanIssue } from './issues.ts';
import { forgetKeptPlan } from './kept-plan.ts';
import { PlanForm } from './plan-form.tsx';
import { PlanJson } from './plan-json.tsx';
import { SaveBar } from './save-bar.tsx';
import { usePlanDraft } from './use-plan-draft.ts';

export interface PlanEditorProps {
  agentId: string;
  latest: AgentPlan;
  mayWrite: boolean;
}

export function PlanEditor({ agentId, latest, mayWrite }: PlanEditorProps) {
  const state = usePlanDraft(agentId, latest);
  const { draft, setDraft, isDirty: isUnsaved, isOutdated, issues, isSaving, problem, setProblem } = state;
  const [isJson, setIsJson] = useState(false);
  const [open, setOpen] = useState<ReadonlySet<string>>(new Set());
  const [focused, setFocused] = useState<{ id: string }>();
  useEffect(() => {
    if (focused) document.getElementById(focused.id)?.focus();
  }, [focused]);

  const leaving = useBlocker({
    shouldBlockFn: ({ current, next }) => {
      const isHere = next.pathname === current.pathname && 'tab' in next.search && next.search.tab === 'plan';
      // Whoever has to sign in again comes back to their edits.
      return isUnsaved && !isHere && next.pathname !== '/sign-in';
    },
    enableBeforeUnload: isUnsaved,
    withResolver: true,
  });

  const goTo = (issue: PlanIssue): void => {
    const id = targetOf(issue, draft);
    if (id === undefined) return;
    setIsJson(false);
    if (issue.checkKey !== undefined) setOpen(new Set([...open, issue.checkKey]));
    setFocused({ id });
  };
  return (
    <div className="flex flex-col gap-4">
      <div className="flex flex-wrap items-center gap-3">
        <h2 className="min-w-0 flex-1 text-lg font-semibold">
          Plan <span className="text-base font-normal text-ink-soft">version {state.base.version}</span>
        </h2>
        <div role="group" aria-label="Plan view" className="flex gap-1">
          {[false, true].map((json) => (
            <Button
              key={String(json)}
              size="small"
              variant={isJson === json ? 'plain' : 'quiet'}
              aria-pressed={isJson === json}
              // Invalid JSON cannot be shown as a form.
              disabled={problem !== undefined && !json}
              onClick={() => setIsJson(json)}
            >
              {json ? 'JSON' : 'Form'}
            </Button>
          ))}
        </div>
      </div>
      {isOutdated && (
        <Conflict agentId={agentId} latest={latest} mine={planIn(draft)} onReload={state.reset} onKeep={state.rebase} />
      )}
      {/* They are of the form, which what is written now is not. */}
      {issues.all.length > 0 && problem === undefined && <IssueSummary issues={issues} onGoTo={goTo} />}
      {isJson ? (
        <PlanJson draft={draft} onChange={setDraft} problem={problem} onProblem={setProblem} disabled={!mayWrite} />
      ) : (
        <PlanForm
          draft={draft}
          onChange={setDraft}
          issues={issues}
          disabled={!mayWrite}
          open={open}
          onOpen={setOpen}
          onFocus={(id) => setFocused({ id })}
        />
      )}
      {state.checked && <Checked plan={state.checked} />}
      {mayWrite && (
        <SaveBar
          isUnsaved={isUnsaved}
          isSaving={isSaving}
          why={problem ?? (isOutdated ? 'Resolve the conflict with the newer version first.' : undefined)}
          onSave={state.save}
          onCheck={state.check}
          onDiscard={state.reset}
        />
      )}
      <Confirm
        open={leaving.status === 'blocked'}
        onOpenChange={(isOpen) => {
          if (!isOpen && leaving.status === 'blocked') leaving.reset();
        }}
        title="Leave without saving?"
        description="Your unsaved changes to the plan will be lost."
        action="Discard changes"
        keep="Keep editing"
        onConfirm={() => {
          forgetKeptPlan(agentId);
          leaving.proceed?.();
        }}
      />
    </div>
  );
}
