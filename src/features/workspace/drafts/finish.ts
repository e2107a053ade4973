/** The end of a draft: a commit, a proposal, or nothing. */
import { LockMode } from '@mikro-orm/core';
import { forTeam } from '../../../db/team-filter.ts';
import type { Orm } from '../../../db/orm.ts';
import { WorkspaceDraft, WorkspaceDraftChange } from '../entities.ts';
import { WorkspaceConflict, type WorkspaceChange, type WorkspaceDiff, type Workspaces } from '../port.ts';
import type { CallSignal, DraftOutcome, FinishInput, RunKey } from './types.ts';

interface Deps {
  orm: Orm;
  workspaces: Workspaces;
}

/** @returns the outcome, stored before it is returned */
export async function finishDraft(
  deps: Deps,
  run: RunKey,
  input: FinishInput & { how: 'apply' | 'propose' },
  options?: CallSignal,
): Promise<DraftOutcome> {
  const draft = await seal(deps, run);
  if (draft.outcome && (draft.status !== 'proposed' || input.how === 'propose')) return draft.outcome;
  const { changes, diff } = await differences(deps, draft, options);
  const outcome: DraftOutcome = {
    status: 'proposed',
    base: draft.base,
    commit: null,
    paths: diff.files.map(({ path, change, additions, deletions }) => ({ path, change, additions, deletions })),
    conflicts: [],
    diff: diff.files.map((file) => file.diff).join(''),
    truncated: diff.truncated,
  };
  if (changes.length === 0) return settle(deps, run, { ...outcome, status: 'unchanged' });
  if (input.how === 'propose') return settle(deps, run, { ...outcome, proposal: draft.id });
  const { message, author, date } = input;
  const commit = { base: draft.base, changes, message, author, date, key: run.runId };
  try {
    const made = await deps.workspaces.forTeam(run.teamId).commit(commit, options);
    return await settle(deps, run, { ...outcome, status: 'committed', commit: made.commit });
  } catch (error) {
    if (!(error instanceof WorkspaceConflict)) throw error;
    return settle(deps, run, { ...outcome, status: 'conflict', conflicts: error.paths });
  }
}

/** The effective changes of the draft's rows against its base; rows without effect are dropped. */
export async function differences(
  { orm, workspaces }: Deps,
  draft: Pick<WorkspaceDraft, 'id' | 'teamId' | 'base'>,
  { signal }: CallSignal = {},
): Promise<{ changes: WorkspaceChange[]; diff: WorkspaceDiff }> {
  const rows = await forTeam(orm.em, draft.teamId).find(
    WorkspaceDraftChange,
    { draftId: draft.id },
    { populate: ['content'], orderBy: { path: 'asc' } },
  );
  const all = rows.map(({ path, content }) => ({ path, content: content ?? null }));
  const workspace = workspaces.forTeam(draft.teamId);
  const tree = all.length === 0 ? draft.base : await workspace.preview(all, { at: draft.base, signal });
  const diff = await workspace.diff(draft.base, tree, { signal });
  const changed = new Set(diff.files.map(({ path }) => path));
  return { changes: all.filter(({ path }) => changed.has(path)), diff };
}

/** Discards uncommitted changes. */
export async function discardDraft(deps: Deps, run: RunKey): Promise<DraftOutcome | undefined> {
  const draft = await forTeam(deps.orm.em, run.teamId).findOne(WorkspaceDraft, { runId: run.runId });
  if (!draft) return undefined;
  const nothing = { commit: null, paths: [], conflicts: [], diff: '', truncated: false };
  return settle(deps, run, { ...nothing, base: draft.base, status: 'discarded' });
}

/** From here on the draft accepts no changes. */
function seal({ orm }: Deps, { teamId, runId }: RunKey): Promise<WorkspaceDraft> {
  return forTeam(orm.em, teamId).transactional(async (em) => {
    const draft = await em.findOneOrFail(WorkspaceDraft, { runId }, { lockMode: LockMode.PESSIMISTIC_WRITE });
    if (draft.status === 'open') draft.status = 'proposed';
    await em.flush();
    return draft;
  });
}

/** Stores an outcome unless a final one exists; a commit is always recorded, whatever was decided meanwhile. */
function settle({ orm }: Deps, { teamId, runId }: RunKey, outcome: DraftOutcome): Promise<DraftOutcome> {
  return forTeam(orm.em, teamId).transactional(async (em) => {
    const draft = await em.findOneOrFail(WorkspaceDraft, { runId }, { lockMode: LockMode.PESSIMISTIC_WRITE });
    const final = draft.status !== 'open' && draft.status !== 'proposed';
    if (draft.outcome && (draft.status === 'committed' || (final && outcome.status !== 'committed')))
      return draft.outcome;
    em.assign(draft, { status: outcome.status, commit: outcome.commit, outcome, finishedAt: new Date() });
    await em.flush();
    return outcome;
  });
}
