/** What the API, the workflow and the activities of a mirror share. */
import { defineSignal } from '@temporalio/workflow';

/** The workflow type, as exported from `workflows/index.ts`. */
export const MIRROR_WORKFLOW = 'mirror';

/** Derived from the row's id, so that a repeated start is harmless. */
export const mirrorWorkflowId = (repositoryId: string): string => `mirror-${repositoryId}`;

/** The row says that newer commits are wanted. */
export const mirrorWantedSignal = defineSignal('mirrorWanted');

export interface RepositoryRef {
  repositoryId: string;
  teamId: string;
}

export interface MirrorWorkflowInput extends RepositoryRef {
  /** Pause before the first fetch, ms: pushes often come in pairs. It doubles with each fetch of a busy repository. */
  pauseMs: number;
  longestPauseMs: number;
  /** Continues as new after so many fetches; by default when the server suggests it. */
  fetchesPerHistory?: number;
}

/** `failed`: the host refused, and the row says why. `gone`: the repository is no longer connected. */
export type SyncStatus = 'current' | 'failed' | 'gone';

export interface SyncResult {
  status: SyncStatus;
  /** Newer commits were asked for while it fetched. */
  again: boolean;
  /** For operators: a commit, or what is wrong. */
  note: string;
}

export interface MirrorWorkflowResult {
  status: SyncStatus;
}
