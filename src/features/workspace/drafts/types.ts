/** What a run wants to change in the workspace, and what became of it. */
import type { ChangedPath, WorkspaceChange, WorkspaceDiff, WorkspacePort } from '../port.ts';

export interface RunKey {
  teamId: string;
  /** One draft belongs to one run. */
  runId: string;
}

/** The files as a run sees them: the state it began with and its own changes. */
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

/** What a tool call wants: computed from the files as they are at that moment. */
export interface Staging {
  changes: readonly WorkspaceChange[];
  result: StagedResult;
}

export interface DraftOutcome {
  /**
   * `committed` the branch has it; `proposed` it waits for an approval; `conflict` others changed the same paths;
   * `unchanged` there is nothing to do; `discarded` nobody wants it.
   */
  status: 'committed' | 'proposed' | 'conflict' | 'unchanged' | 'discarded';
  /** The commit that the changes were made against. */
  base: string;
  commit: string | null;
  paths: ChangedPath[];
  /** Paths that others changed meanwhile. */
  conflicts: string[];
  /** Unified, of all files; at most 200,000 characters. */
  diff: string;
  /** The diff was cut. */
  truncated: boolean;
}

export interface FinishInput {
  message: string;
  author: { name: string; email: string };
  /** When the change was made: the same for every attempt. */
  date: Date;
}

export interface CallSignal {
  signal?: AbortSignal;
}

export interface WorkspaceDrafts {
  /** Begins the draft of a run on the newest commit, if it has none yet: from here on the run sees one state. */
  open(run: RunKey, options?: CallSignal): Promise<void>;
  /** The files as the run sees them; a run without a draft sees the newest commit. */
  view(run: RunKey, options?: CallSignal): Promise<DraftFiles>;
  /**
   * Adds what one tool call wants to the draft, one call after the other. A repeated call is answered from the record.
   * @param compute what the call wants, given the files as they are then; what it throws leaves the draft as it was
   * @throws {WorkspaceError} `closed` when the draft is finished; `too_large`, `clash` … when it cannot be done
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
   * Ends the draft of a run: commits its changes, or keeps them as a proposal, which may be applied later. May be
   * repeated: it commits once, and its answer stays the same. A run that changed nothing is `unchanged`.
   */
  finish(run: RunKey, how: 'apply' | 'propose', input: FinishInput, options?: CallSignal): Promise<DraftOutcome>;
  /** Gives up the changes of a run, unless they are committed. @returns what became of the draft; undefined without one */
  discard(run: RunKey): Promise<DraftOutcome | undefined>;
  /** Forgets the drafts of runs whose conversation is deleted. Commits stay: they belong to the workspace. */
  forget(teamId: string, runIds: readonly string[]): Promise<void>;
}
