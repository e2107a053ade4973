import { defineEntity, p, type InferEntity } from '@mikro-orm/core';
import { teamColumns, teamFilter } from '../../db/base.ts';
import type { DraftOutcome } from './drafts/types.ts';

/** What one run wants to change in the workspace. The changes themselves are rows of {@link WorkspaceDraftChange}. */
export const WorkspaceDraft = defineEntity({
  name: 'WorkspaceDraft',
  tableName: 'workspace_drafts',
  filters: teamFilter,
  uniques: [{ properties: ['runId'] }],
  properties: {
    ...teamColumns,
    runId: p.uuid(),
    /** The commit that the run sees and changes. */
    base: p.text(),
    /** The revision with all changes so far, to read at; null while there are none. It can be made again from the rows. */
    tree: p.text().strictNullable(),
    status: p.enum(['open', 'proposed', 'committed', 'conflict', 'unchanged', 'discarded'] as const),
    commit: p.text().strictNullable(),
    /** What became of it; null until then. */
    outcome: p.json<DraftOutcome>().strictNullable(),
    finishedAt: p.datetime().strictNullable(),
  },
});
export type WorkspaceDraft = InferEntity<typeof WorkspaceDraft>;

/** Where to read the files as the draft has them. */
export const revisionOf = ({ tree, base }: Pick<WorkspaceDraft, 'tree' | 'base'>): string => tree ?? base;

/** The newest content that a draft gives one file. */
export const WorkspaceDraftChange = defineEntity({
  name: 'WorkspaceDraftChange',
  tableName: 'workspace_draft_changes',
  filters: teamFilter,
  uniques: [{ properties: ['draftId', 'path'] }],
  properties: {
    ...teamColumns,
    draftId: p.uuid(),
    path: p.text(),
    /** Null deletes the file. Loaded only when asked for. */
    content: p.text().strictNullable().lazy(),
    /** Bytes of the content; 0 for a deletion. */
    size: p.integer(),
    /** The call that made it so. */
    toolCallId: p.uuid(),
  },
});
export type WorkspaceDraftChange = InferEntity<typeof WorkspaceDraftChange>;
