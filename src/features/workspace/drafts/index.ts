import type { Orm } from '../../../db/orm.ts';
import { createKeyedMutex } from '../../../platform/keyed-mutex.ts';
import { deleteInParts } from '../../../db/delete-in-parts.ts';
import { forTeam } from '../../../db/team-filter.ts';
import { revisionOf, WorkspaceDraft, WorkspaceDraftChange } from '../entities.ts';
import { Effect } from '../../effects/index.ts';
import type { Workspaces } from '../port.ts';
import { differences, discardDraft, finishDraft } from './finish.ts';
import { stageChanges } from './stage.ts';
import type { CallSignal, RunKey, WorkspaceDrafts } from './types.ts';

export interface DraftDeps {
  orm: Orm;
  workspaces: Workspaces;
}

/** After this a call no longer waits for another of its run: the draft decides between them anyway. */
const MUTEX_TIMEOUT_MS = 30_000;

/** The drafts of runs: kept in PostgreSQL, so that a lost worker loses none of their changes. */
export function createWorkspaceDrafts(deps: DraftDeps): WorkspaceDrafts {
  const inTurn = createKeyedMutex({ timeoutMs: MUTEX_TIMEOUT_MS });
  const drafts: WorkspaceDrafts = {
    open: (run, options) => openDraft(deps, run, options),
    async view(run, options) {
      const workspace = deps.workspaces.forTeam(run.teamId);
      const draft = await forTeam(deps.orm.em, run.teamId).findOne(WorkspaceDraft, { runId: run.runId });
      return { workspace, at: draft ? revisionOf(draft) : await workspace.head(options) };
    },
    async stage(run, toolCallId, compute, options) {
      await drafts.open(run, options);
      return stageChanges({ ...deps, inTurn }, run, { toolCallId, compute }, options);
    },
    async diff(run, options) {
      const draft = await forTeam(deps.orm.em, run.teamId).findOne(WorkspaceDraft, { runId: run.runId });
      return draft ? (await differences(deps, draft, options)).diff : { files: [], truncated: false };
    },
    async finish(run, how, input, options) {
      await drafts.open(run, options);
      return finishDraft(deps, run, { how, ...input }, options);
    },
    discard: (run) => discardDraft(deps, run),
    forget: (teamId, runIds) => forgetDrafts(deps, teamId, runIds),
  };
  return drafts;
}

async function forgetDrafts({ orm }: DraftDeps, teamId: string, runIds: readonly string[]): Promise<void> {
  const em = forTeam(orm.em, teamId);
  // First: a call that is still adding changes holds the lock, and a later one finds the draft closed.
  await em.nativeUpdate(WorkspaceDraft, { runId: { $in: [...runIds] }, status: 'open' }, { status: 'discarded' });
  const drafts = await em.find(WorkspaceDraft, { runId: { $in: [...runIds] } }, { fields: ['id'] });
  const draftId = { $in: drafts.map(({ id }) => id) };
  await deleteInParts(em, Effect, { ownerId: draftId });
  await deleteInParts(em, WorkspaceDraftChange, { draftId });
  // Last: an interrupted deletion finds the remaining work by these rows.
  await deleteInParts(em, WorkspaceDraft, { id: draftId });
}

async function openDraft(
  { orm, workspaces }: DraftDeps,
  { teamId, runId }: RunKey,
  options?: CallSignal,
): Promise<void> {
  const em = forTeam(orm.em, teamId);
  if (await em.findOne(WorkspaceDraft, { runId }, { fields: ['id'] })) return;
  const base = await workspaces.forTeam(teamId).head(options);
  await em.upsert(
    WorkspaceDraft,
    { teamId, runId, base, tree: null, status: 'open', commit: null, outcome: null, finishedAt: null },
    { onConflictFields: ['runId'], onConflictAction: 'ignore' },
  );
}
