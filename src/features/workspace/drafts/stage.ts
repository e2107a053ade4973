/** Adding a tool call's changes to a draft. */
import { LockMode } from '@mikro-orm/core';
import { forTeam } from '../../../db/team-filter.ts';
import type { EntityManager, Orm } from '../../../db/orm.ts';
import type { KeyedMutex } from '../../../platform/keyed-mutex.ts';
import { Effect, recordDone, stored } from '../../effects/index.ts';
import { revisionOf, WorkspaceDraft, WorkspaceDraftChange } from '../entities.ts';
import { MAX_CHANGE_BYTES, MAX_CHANGES, WorkspaceError, type WorkspaceChange, type Workspaces } from '../port.ts';
import type { CallSignal, DraftFiles, RunKey, StagedResult, Staging } from './types.ts';

export interface StageDeps {
  orm: Orm;
  workspaces: Workspaces;
  /** Serialises the calls of one run within this process. */
  inTurn: KeyedMutex;
}

/**
 * Computes a call's changes on the current draft, without a transaction that would wait for Git and the disk. They are
 * kept if the draft is still the same then; if another call was faster, they are computed again. The tree's id
 * identifies the draft's state: the same tree has the same files.
 */
export function stageChanges(
  { orm, workspaces, inTurn }: StageDeps,
  run: RunKey,
  { toolCallId, compute }: { toolCallId: string; compute: (files: DraftFiles) => Promise<Staging> },
  { signal }: CallSignal = {},
): Promise<StagedResult> {
  const { teamId, runId } = run;
  const workspace = workspaces.forTeam(teamId);
  const attempt = async (): Promise<StagedResult> => {
    for (;;) {
      signal?.throwIfAborted();
      const em = forTeam(orm.em, teamId);
      const draft = await em.findOneOrFail(WorkspaceDraft, { runId });
      const made = await resultOf(em, draft, toolCallId);
      if (made) return made;
      const at = revisionOf(draft);
      const { changes, result } = await compute({ workspace, at });
      const tree = await workspace.preview(changes, { at, signal });
      // A call that was reported as stopped must not take effect.
      signal?.throwIfAborted();
      const kept = await keep(orm, run, { toolCallId, at, tree, changes, result });
      if (kept) return kept;
    }
  };
  return inTurn(runId, attempt, signal);
}

interface Wanted extends Staging {
  toolCallId: string;
  /** The tree it was computed on, and the resulting one. */
  at: string;
  tree: string;
}

/** @returns the call's answer; undefined when the draft has changed since */
function keep(orm: Orm, run: RunKey, wanted: Wanted): Promise<StagedResult | undefined> {
  const { toolCallId, at, tree, changes, result } = wanted;
  const { teamId, runId } = run;
  return forTeam(orm.em, teamId).transactional(async (em) => {
    const draft = await em.findOneOrFail(WorkspaceDraft, { runId }, { lockMode: LockMode.PESSIMISTIC_WRITE });
    const made = await resultOf(em, draft, toolCallId);
    if (made) return made;
    if (revisionOf(draft) !== at) return undefined;
    draft.tree = tree;
    await keepChanges(em, draft, toolCallId, changes);
    await em.flush();
    // In the same transaction as the changes: a repeated attempt changes nothing and gets the same answer.
    const key = callKey(draft, toolCallId);
    await recordDone(em, [{ teamId, kind: 'workspace_change', key, ownerId: draft.id, receipt: result }]);
    return result;
  });
}

/**
 * @returns the answer of a call that the draft already contains
 * @throws {WorkspaceError} when it does not, and the draft is finished
 */
async function resultOf(
  em: EntityManager,
  draft: WorkspaceDraft,
  toolCallId: string,
): Promise<StagedResult | undefined> {
  const made = await em.findOne(Effect, { key: callKey(draft, toolCallId) });
  if (!made && draft.status !== 'open')
    throw new WorkspaceError('closed', 'The changes of this turn were already submitted; none can be added');
  return made ? stored<StagedResult>(made.receipt) : undefined;
}

const callKey = (draft: Pick<WorkspaceDraft, 'id'>, toolCallId: string): string =>
  `workspace_change:${draft.id}:${toolCallId}`;

/** @throws {WorkspaceError} when the draft would exceed the limits of one commit */
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
