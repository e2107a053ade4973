/** A plan being edited, saved over the version it is based on. */
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { ApiError, type Schema } from '../../../api/client.ts';
import { useToaster } from '../../../components/ui/toast.tsx';
import { planQuery, savePlan, type AgentPlan } from '../queries.ts';
import { draftOf, isSamePlan, planIn, type PlanDraft } from './draft.ts';
import { forgetKeptPlan, keepPlan, readKeptPlan } from './kept-plan.ts';
import { mapIssues, NO_ISSUES, type IssueMap } from './issues.ts';

interface Base {
  version: number;
  draft: PlanDraft;
}

export interface PlanDraftState {
  draft: PlanDraft;
  setDraft: (draft: PlanDraft) => void;
  base: Base;
  /** There are edits, which may not be a valid plan yet. */
  isDirty: boolean;
  /** The plan has a newer version, and there are edits here. */
  isOutdated: boolean;
  issues: IssueMap;
  isSaving: boolean;
  /** Why the JSON text is not a plan. */
  problem: string | undefined;
  setProblem: (problem: string | undefined) => void;
  /** @param onSaved called after saving */
  save: (reason: string, onSaved: () => void) => void;
  /** Validates the edits without saving them. */
  check: () => void;
  /** The resulting plan, as long as nothing has changed since it was validated. */
  checked: AgentPlan | undefined;
  /** Discards the edits. */
  reset: () => void;
  /** Keeps the edits, as a change of the current plan. */
  rebase: () => void;
}

/** @param latest the current plan, refetched regularly */
export function usePlanDraft(agentId: string, latest: AgentPlan): PlanDraftState {
  const [kept] = useState(() => readKeptPlan(agentId));
  const [base, setBase] = useState<Base>(() =>
    kept ? { version: kept.version, draft: kept.base } : { version: latest.version, draft: draftOf(latest.plan) },
  );
  const [draft, setDraft] = useState(kept?.draft ?? base.draft);
  const [issues, setIssues] = useState<IssueMap>(NO_ISSUES);
  const queryClient = useQueryClient();
  const toaster = useToaster();
  const [problem, setProblem] = useState<string>();
  const isDirty = problem !== undefined || !isSamePlan(draft, base.draft);
  const isNewer = latest.version > base.version;
  useEffect(() => {
    if (isDirty) keepPlan(agentId, { version: base.version, base: base.draft, draft });
    else forgetKeptPlan(agentId);
  }, [agentId, isDirty, base, draft]);

  const take = ({ version, plan }: AgentPlan): void => {
    const taken = draftOf(plan, draft);
    setBase({ version, draft: taken });
    setDraft(taken);
    setIssues(NO_ISSUES);
    setProblem(undefined);
  };
  /** Keep the edits, now based on another version. */
  const goOnFrom = ({ version, plan }: AgentPlan): void => {
    setBase({ version, draft: draftOf(plan, draft) });
    setIssues(NO_ISSUES);
  };
  // Without edits, show the current plan.
  if (isNewer && !isDirty) take(latest);

  const wanted = {
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the API says what is wrong with it
    plan: planIn(draft) as unknown as Schema<'MonitoringPlan'>,
    replace: true,
    version: base.version,
  };
  const refused = (error: unknown, { of }: { of: PlanDraft }): void => {
    if (error instanceof ApiError && error.issues.length > 0) setIssues(mapIssues(error.issues, of));
    else if (!(error instanceof ApiError && error.code === 'plan_version_conflict')) toaster.fail(error);
  };
  // Not awaited: what was saved is already known.
  const refresh = (): void => void queryClient.invalidateQueries({ queryKey: ['monitoring', agentId] });
  const checking = useMutation({
    mutationFn: async ({ of }: { of: PlanDraft }) => ({ of, plan: await savePlan(agentId, wanted, true) }),
    onSuccess: () => setIssues(NO_ISSUES),
    onError: refused,
    // Refetching reveals the conflict.
    onSettled: refresh,
  });
  const saving = useMutation({
    mutationFn: ({ reason }: { of: PlanDraft; reason: string }) =>
      savePlan(agentId, { ...wanted, ...(reason.trim() !== '' && { reason: reason.trim() }) }),
    onSuccess: (saved, { of }) => {
      queryClient.setQueryData(planQuery(agentId).queryKey, saved);
      if (of === draft && problem === undefined) take(saved);
      else goOnFrom(saved);
      toaster.say(`Saved as version ${saved.version}. It is in effect now.`);
    },
    onError: refused,
    onSettled: refresh,
  });
  return {
    draft,
    setDraft,
    base,
    isDirty,
    isOutdated: isNewer && isDirty,
    issues,
    isSaving: saving.isPending || checking.isPending,
    problem,
    setProblem,
    save: (reason, onSaved) => saving.mutate({ of: draft, reason }, { onSuccess: onSaved }),
    check: () => checking.mutate({ of: draft }),
    checked: checking.data?.of === draft ? checking.data.plan : undefined,
    reset: () => take(latest),
    rebase: () => goOnFrom(latest),
  };
}
