/** A plan while it is written, saved over the version it was made from. */
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
  /** Something was written, which may be no plan yet. */
  isDirty: boolean;
  /** The plan has another version by now, and something was written here. */
  isOutdated: boolean;
  issues: IssueMap;
  isSaving: boolean;
  /** Why what is written as JSON is no plan. */
  problem: string | undefined;
  setProblem: (problem: string | undefined) => void;
  /** @param onSaved told when it was saved */
  save: (reason: string, onSaved: () => void) => void;
  /** Has the API look at what was written, and changes nothing. */
  check: () => void;
  /** What the plan would be, as long as nothing else was written since it was looked at. */
  checked: AgentPlan | undefined;
  /** Drops what was written. */
  reset: () => void;
  /** Goes on with what was written, as a change of what holds now. */
  rebase: () => void;
}

/** @param latest the plan as it is known to hold, asked again and again */
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
  /** What was written stays, as a change of another version. */
  const goOnFrom = ({ version, plan }: AgentPlan): void => {
    setBase({ version, draft: draftOf(plan, draft) });
    setIssues(NO_ISSUES);
  };
  // As long as nothing was written, what holds is shown.
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
  // Not waited for: what was saved is known already.
  const refresh = (): void => void queryClient.invalidateQueries({ queryKey: ['monitoring', agentId] });
  const checking = useMutation({
    mutationFn: async ({ of }: { of: PlanDraft }) => ({ of, plan: await savePlan(agentId, wanted, true) }),
    onSuccess: () => setIssues(NO_ISSUES),
    onError: refused,
    // A conflict is seen when the plan is asked again.
    onSettled: refresh,
  });
  const saving = useMutation({
    mutationFn: ({ reason }: { of: PlanDraft; reason: string }) =>
      savePlan(agentId, { ...wanted, ...(reason.trim() !== '' && { reason: reason.trim() }) }),
    onSuccess: (saved, { of }) => {
      queryClient.setQueryData(planQuery(agentId).queryKey, saved);
      if (of === draft && problem === undefined) take(saved);
      else goOnFrom(saved);
      toaster.say(`Saved as version ${saved.version}. It holds from now on.`);
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
