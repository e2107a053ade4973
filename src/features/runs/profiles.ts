import type { ToolRegistry } from '../tools/index.ts';
import type { RunKind } from './contract.ts';

/** What makes one kind of run different from another: its instructions and its tools. The loop is the same. */
export interface RunProfile {
  system: string;
  tools: ToolRegistry;
  /** The tool that hands in the result; the one that must be called when the run has to conclude. */
  finishTool: string;
  /** Most tokens of one answer. */
  maxTokens: number;
}

export type RunProfiles = Record<RunKind, RunProfile>;
