/** The changes that a run wants to make to the workspace, and their outcome. */
import type { ChangedPath, WorkspaceChange, WorkspaceDiff, WorkspacePort } from '../port.ts';

export interface RunKey {
  teamId: string;
  /** One draft belongs to one run. */
  runId: string;
}

/** The files as a run sees them: the state it began with plus its own changes. */
export interface DraftFiles {
  workspace: WorkspacePort;
  /** The revision to read at. */
  at: string;
}

/** The answer of a call that changed the draft. */
export interface StagedResult {
  output: Record<string, unknown>;
  digest: string;
}

/** A tool call's changes, computed from the files as they are at that moment. */
export interface Staging {
  changes: readonly WorkspaceChange[];
  result: StagedResult;
}

export interface DraftOutcome {
  /**
   * `committed`: on the branch; `proposed`: waiting for an approval; `conflict`: others changed the same paths;
   * `unchanged`: nothing to do; `discarded`: given up.
   */
  status: 'committed' | 'proposed' | 'conflict' | 'unchanged' | 'discarded';
  /** The commit that the changes were made against. */
  base: string;
  commit: string | null;
  paths: ChangedPath[];
  /** Paths that others changed meanwhile. */
  conflicts: string[];
  /** Unified diffs of all files; at most 200,000 characters. */
  diff: string;
  /** The diff was cut. */
  truncated: boolean;
  /** Under which the changes can be committed later, if they are only proposed. */
  proposal?: string;
}

export interface FinishInput {
  message: string;
  author: { name: string; email: string };
  /** Time of the change: the same for every attempt. */
  date: Date;
}

export interface CallSignal {
  signal?: AbortSignal;
}

export interface WorkspaceDrafts {
  /** Begins a run's draft on the newest commit, unless it has one: from here on the run sees one state. */
  open(run: RunKey, options?: CallSignal): Promise<void>;
  /** The files as the run sees them; a run without a draft sees the newest commit. */
  view(run: RunKey, options?: CallSignal): Promise<DraftFiles>;
  /**
   * Adds a tool call's changes to the draft, one call at a time. A repeated call gets its recorded answer.
   * @param compute computes the changes from the current files; if it throws, the draft stays unchanged
   * @throws {WorkspaceError} `closed` when the draft is finished; `too_large`, `clash` … when it is impossible
   */
  stage(
    run: RunKey,
    toolCallId: string,
    compute: (files: DraftFiles) => Promise<Staging>,
    options?: CallSignal,
  ): Promise<StagedResult>;
  /** What the draft changes, file by file. */
  diff(run: RunKey, options?: CallSignal): Promise<WorkspaceDiff>;
  /**
   * Ends a run's draft: commits its changes, or keeps them as a proposal, which may be applied later. Safe to repeat:
   * it commits once, and its answer stays the same. A run without changes is `unchanged`.
   */
  finish(run: RunKey, how: 'apply' | 'propose', input: FinishInput, options?: CallSignal): Promise<DraftOutcome>;
  /** Discards a run's changes, unless they are committed. @returns the draft's outcome; undefined without a draft */
  discard(run: RunKey): Promise<DraftOutcome | undefined>;
  /** Deletes the drafts of runs whose conversation is deleted. Commits stay: they belong to the workspace. */
  forget(teamId: string, runIds: readonly string[]): Promise<void>;
}
