import { defineEntity, p, type InferEntity } from '@mikro-orm/core';
import { teamColumns, teamFilter } from '../../db/base.ts';
import type { DraftOutcome } from './drafts/types.ts';

/** The changes that one run makes to the workspace. The changes themselves are rows of {@link WorkspaceDraftChange}. */
export const WorkspaceDraft = defineEntity({
  name: 'WorkspaceDraft',
  tableName: 'workspace_drafts',
  filters: teamFilter,
  uniques: [{ properties: ['runId'] }],
  properties: {
    ...teamColumns,
    runId: p.uuid(),
    /** The commit on which the run works. */
    base: p.text(),
    /** The revision with all changes so far, for reading; null without changes. It can be rebuilt from the rows. */
    tree: p.text().strictNullable(),
    status: p.enum(['open', 'proposed', 'committed', 'conflict', 'unchanged', 'discarded'] as const),
    commit: p.text().strictNullable(),
    /** The outcome; null until the draft ends. */
    outcome: p.json<DraftOutcome>().strictNullable(),
    finishedAt: p.datetime().strictNullable(),
  },
});
export type WorkspaceDraft = InferEntity<typeof WorkspaceDraft>;

/** The revision at which to read the draft's files. */
export const revisionOf = ({ tree, base }: Pick<WorkspaceDraft, 'tree' | 'base'>): string => tree ?? base;

/** How many sockets a team has open on one API node, which renews the row while it lives. */
export const WorkspaceConnection = defineEntity({
  name: 'WorkspaceConnection',
  tableName: 'workspace_connections',
  filters: teamFilter,
  properties: {
    ...teamColumns,
    node: p.uuid().index(),
    sockets: p.integer(),
    /** By the database's clock. */
    seenAt: p.datetime(),
  },
});
export type WorkspaceConnection = InferEntity<typeof WorkspaceConnection>;

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
    /** Null deletes the file. Loaded only on request. */
    content: p.text().strictNullable().lazy(),
    /** Bytes of the content; 0 for a deletion. */
    size: p.integer(),
    /** The tool call that made the change. */
    toolCallId: p.uuid(),
  },
});
export type WorkspaceDraftChange = InferEntity<typeof WorkspaceDraftChange>;
