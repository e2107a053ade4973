import type { Tool } from '../tools/index.ts';
import type { RunBudget, RunKind } from './contract.ts';
import type { Run } from './entities.ts';
import type { LoadProfile } from './profiles.ts';

/** What runs of a kind may do. */
export interface KindProfile {
  /** Every tool a run of this kind may have, its team's own aside. */
  tools: readonly Tool[];
  load: LoadProfile;
}

/** How a run ended that its workflow has not ended. */
export interface RunEnding {
  outcome: 'failed' | 'cancelled';
  explanation: string;
}

/**
 * What makes one kind of run different from another. A static value of its room; what it needs of the process comes with
 * each call.
 */
export interface RunKindDefinition<Row extends Run, Deps, Needs> {
  kind: RunKind;
  /** What a key must grant to see what was found in a run of this kind. */
  readScope: string;
  /** Derives from the row's id: a repeated start is harmless. */
  workflowId: (id: string) => string;
  /**
   * The workflow's type and its one argument, and what operators read of it: `summary` is one line, `details` may be more.
   * Absent where another workflow starts it as its child.
   */
  start?: (row: Row, budget: RunBudget) => { workflow: string; input: object; summary: string; details: string };
  /** Built once a process, with what its rooms have built. */
  profile: (house: Needs) => KindProfile;
  /** Records the end of a run that has no workflow to do so. Idempotent: an end that is recorded stays as it is. */
  finish: (deps: Deps, row: Row, ending: RunEnding) => Promise<unknown>;
}

/** Defines a kind of run; its room lists it in `runKinds`. */
export const defineRunKind = <Row extends Run, Deps, Needs>(
  definition: RunKindDefinition<Row, Deps, Needs>,
): RunKindDefinition<Row, Deps, Needs> => definition;
