import { grants } from '../../http/authenticate.ts';
import type { Tool, ToolRegistry } from '../tools/index.ts';
import type { RunKind } from './contract.ts';
import type { Run } from './entities.ts';

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

/** The profile of a run, made again by every activity: what a run may do is in its row and never travels. */
export type LoadProfile = (run: Run) => Promise<RunProfile>;

export type RunProfiles = Record<RunKind, LoadProfile>;

/** Of these tools those that a run may call: by what was granted, and where they have side effects, if it may have any. */
export function allowedTools(
  tools: readonly Tool[],
  { scopes, sideEffects }: Pick<Run, 'scopes' | 'sideEffects'>,
): Tool[] {
  return tools.filter(
    ({ requires, sideEffect }) => (requires === undefined || grants(scopes, requires)) && (!sideEffect || sideEffects),
  );
}
