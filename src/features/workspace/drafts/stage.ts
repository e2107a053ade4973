/** Adding a tool call's changes to a draft. */
import { LockMode } from '@mikro-orm/core';
import { forTeam } from '../../../db/team-filter.ts';
import type { EntityManager, Orm } from '../../../db/orm.ts';
import { WorkspaceDraft, WorkspaceDraftCall, WorkspaceDraftChange } from '../entities.ts';
import { MAX_CHANGE_BYTES, MAX_CHANGES, WorkspaceError, type WorkspaceChange, type Workspaces } from '../port.ts';
import type { CallSignal, DraftFiles, RunKey, StagedResult, Staging } from './types.ts';

/** The draft's row is locked meanwhile: calls of one turn that run at once see each other's changes. */
export function stageChanges(
  { orm, workspaces }: { orm: Orm; workspaces: Workspaces },
  run: RunKey,
  { toolCallId, compute }: { toolCallId: string; compute: (files: DraftFiles) => Promise<Staging> },
  { signal }: CallSignal = {},
): Promise<StagedResult> {
  const { teamId, runId } = run;
  return forTeam(orm.em, teamId).transactional(async (em) => {
    const draft = await em.findOneOrFail(WorkspaceDraft, { runId }, { lockMode: LockMode.PESSIMISTIC_WRITE });
    const made = await em.findOne(WorkspaceDraftCall, { draftId: draft.id, toolCallId });
    if (made) return made.result;
    if (draft.status !== 'open')
      throw new WorkspaceError('closed', 'The changes of this turn were handed in already; none can be added');
    const workspace = workspaces.forTeam(teamId);
    const at = draft.tree ?? draft.base;
    const { changes, result } = await compute({ workspace, at });
    draft.tree = await workspace.preview(changes, { at, signal });
    await keepChanges(em, draft, toolCallId, changes);
    em.create(WorkspaceDraftCall, { teamId, draftId: draft.id, toolCallId, result });
    await em.flush();
    return result;
  });
}

/** @throws {WorkspaceError} when the draft would become larger than one commit may be */
async function keepChanges(
  em: EntityManager,
  draft: Pick<WorkspaceDraft, 'id' | 'teamId'>,
  toolCallId: string,
  changes: readonly WorkspaceChange[],
): Promise<void> {
  const rows = new Map<string, WorkspaceDraftChange>();
  for (const row of await em.find(WorkspaceDraftChange, { draftId: draft.id })) rows.set(row.path, row);
  for (const { path, content } of changes) {
    const size = content === null ? 0 : Buffer.byteLength(content);
    const row = rows.get(path);
    if (row) em.assign(row, { content, size, toolCallId });
    else
      rows.set(
        path,
        em.create(WorkspaceDraftChange, { teamId: draft.teamId, draftId: draft.id, path, content, size, toolCallId }),
      );
  }
  if (rows.size > MAX_CHANGES)
    throw new WorkspaceError(
      'too_large',
      `One turn can change at most ${MAX_CHANGES} files; this would be ${rows.size}`,
    );
  const bytes = [...rows.values()].reduce((sum, { size }) => sum + size, 0);
  if (bytes > MAX_CHANGE_BYTES)
    throw new WorkspaceError(
      'too_large',
      `One turn can write at most ${MAX_CHANGE_BYTES} bytes; this would be ${bytes}`,
    );
}
