import type { EntityManager } from '../../db/orm.ts';
import type { ToolRegistry } from '../tools/index.ts';
import type { RunIdentity, RunKind } from './contract.ts';

/** What makes one run different from another: its instructions and its tools. The loop is the same. */
export interface RunProfile {
  system: string;
  /** Only what this run may call: a tool that is not in here does not exist for it. */
  tools: ToolRegistry;
  /**
   * The tool that hands in the result; the one that must be called when the run has to conclude. Absent where the
   * result is what the model says: it is then asked to answer without tools.
   */
  finishTool?: string;
  /** Most tokens of one answer. */
  maxTokens: number;
  /** Another model than the configured one. */
  model?: string;
}

/**
 * The profile of a run, read again by every activity: what a run may do is stored with it and never travels.
 * @param em bound to the run's team
 */
export type LoadProfile = (em: EntityManager, run: RunIdentity) => Promise<RunProfile>;

export type RunProfiles = Record<RunKind, LoadProfile>;
