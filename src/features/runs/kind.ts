import type { Tool } from '../tools/index.ts';
import type { RunBudget, RunKind } from './contract.ts';
import type { Run } from './entities.ts';
import type { LoadProfile } from './profiles.ts';

/** What runs of a kind may do. */
export interface KindProfile {
  /** Every tool a run of this kind may have, except its team's own. */
  tools: readonly Tool[];
  load: LoadProfile;
}

/** The end of a run whose workflow did not record one. */
export interface RunEnding {
  outcome: 'failed' | 'cancelled';
  explanation: string;
}

/** What distinguishes one kind of run from another: a static value of its room. Dependencies come with each call. */
export interface RunKindDefinition<Row extends Run, Deps, Needs> {
  kind: RunKind;
  /** The scope required to read what a run of this kind found. */
  readScope: string;
  /** Derived from the row's id, so a repeated start is harmless. */
  workflowId: (id: string) => string;
  /**
   * The workflow's type, its argument, and what operators read about it: `summary` is one line, `details` may be more.
   * Absent if another workflow starts it as a child.
   */
  start?: (row: Row, budget: RunBudget) => { workflow: string; input: object; summary: string; details: string };
  /** Built once per process, from what the rooms have built. */
  profile: (house: Needs) => KindProfile;
  /** Records the end of a run without a workflow to do so. Idempotent: a recorded end stays. */
  finish: (deps: Deps, row: Row, ending: RunEnding) => Promise<unknown>;
}

/** Defines a kind of run; its room lists it in `runKinds`. */
export const defineRunKind = <Row extends Run, Deps, Needs>(
  definition: RunKindDefinition<Row, Deps, Needs>,
): RunKindDefinition<Row, Deps, Needs> => definition;
