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
  /** Lets the calls of one run wait for each other within this process. */
  inTurn: KeyedMutex;
}

/**
 * What a call wants is worked out on the draft as it is, without a transaction that would wait for Git and for the disk.
 * It is kept if the draft is still the same then; if another call was faster, it is worked out anew. The id of the tree
 * says which draft it was: the same tree has the same files.
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
      // Whoever was told that the call was stopped must not find it done.
      signal?.throwIfAborted();
      const kept = await keep(orm, run, { toolCallId, at, tree, changes, result });
      if (kept) return kept;
    }
  };
  return inTurn(runId, attempt, signal);
}

interface Wanted extends Staging {
  toolCallId: string;
  /** What it was worked out on, and what that becomes. */
  at: string;
  tree: string;
}

/** @returns the answer of the call; undefined when the draft is not what the changes were worked out on */
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
    // With the changes, in one transaction: a repeated attempt changes nothing and gets the same answer.
    const key = callKey(draft, toolCallId);
    await recordDone(em, [{ teamId, kind: 'workspace_change', key, ownerId: draft.id, receipt: result }]);
    return result;
  });
}

/**
 * @returns the answer of a call that is in the draft already
 * @throws {WorkspaceError} when it is not, and the draft is finished
 */
async function resultOf(
  em: EntityManager,
  draft: WorkspaceDraft,
  toolCallId: string,
): Promise<StagedResult | undefined> {
  const made = await em.findOne(Effect, { key: callKey(draft, toolCallId) });
  if (!made && draft.status !== 'open')
    throw new WorkspaceError('closed', 'The changes of this turn were handed in already; none can be added');
  return made ? stored<StagedResult>(made.receipt) : undefined;
}

const callKey = (draft: Pick<WorkspaceDraft, 'id'>, toolCallId: string): string =>
  `workspace_change:${draft.id}:${toolCallId}`;

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
