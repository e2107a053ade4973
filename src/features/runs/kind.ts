/** What distinguishes one kind of run from another, and what all of them work with. */
import { grants } from '../../http/authenticate.ts';
import type { Orm } from '../../db/orm.ts';
import type { ModelClient } from '../../platform/anthropic/port.ts';
import type { Clock } from '../../platform/clock.ts';
import type { EventLog } from '../../platform/event-log/port.ts';
import type { Logger } from '../../platform/logger.ts';
import { type Tool, type ToolRegistry, createRegistryCache, type LoadTeamTools } from '../tools/index.ts';
import type { LoadSources } from '../sources/port.ts';
import type { ReadScopes } from '../transcripts/index.ts';
import type { RunBudget, RunKind } from './contract.ts';
import type { Run } from './entities.ts';

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
   * The workflow's type, its argument, and what operators read about it: `summary` is one line, `details` is Markdown.
   * Absent if another workflow starts it as a child.
   */
  start?: (
    row: Row,
    budget: RunBudget,
    appUrl?: string,
  ) => { workflow: string; input: object; summary: string; details: string };
  /** Built once per process, from what the rooms have built. */
  profile: (house: Needs) => KindProfile;
  /** Records the end of a run without a workflow to do so. Idempotent: a recorded end stays. */
  finish: (deps: Deps, row: Row, ending: RunEnding) => Promise<unknown>;
}

/** Defines a kind of run; its room lists it in `runKinds`. */
export const defineRunKind = <Row extends Run, Deps, Needs>(
  definition: RunKindDefinition<Row, Deps, Needs>,
): RunKindDefinition<Row, Deps, Needs> => definition;

/** What distinguishes one run from another: its instructions and tools. The loop is the same. */
export interface RunProfile {
  system: string;
  /** Only what this run may call; any other tool does not exist for it. */
  tools: ToolRegistry;
  /**
   * The tool that submits the result and must be called when the run has to conclude. Absent if the result is the
   * model's text: it is then asked to answer without tools.
   */
  finishTool?: string;
  /** Maximum tokens of one answer. */
  maxTokens: number;
  /** Overrides the configured model. */
  model?: string;
  /** What the person is told after whatever the model answers. */
  closing?: string;
}

/** The profile of a run, rebuilt by every activity: what a run may do is in its row and never travels. */
export type LoadProfile = (run: Run) => Promise<RunProfile>;

export type RunProfiles = Record<RunKind, LoadProfile>;

/** The scope for tools with outside effects, and for approving calls of them. */
export const ACT_SCOPE = 'chats:act';

/**
 * The tools a run may call, by granted scopes and, for those with side effects, whether it may have any.
 * @param mayAsk offers tools whose calls a person can approve one by one, too
 */
export function allowedTools(
  tools: readonly Tool[],
  { scopes, sideEffects }: Pick<Run, 'scopes' | 'sideEffects'>,
  mayAsk = false,
): Tool[] {
  return tools.filter(
    ({ requires, sideEffect, approval }) =>
      (requires === undefined || grants(scopes, requires)) &&
      (!sideEffect || sideEffects || (mayAsk && approval !== undefined)),
  );
}

/** Whether a person must approve a call before it is made. An invalid one is refused anyway. */
export function needsApproval(
  tool: Tool | undefined,
  { sideEffects }: Pick<Run, 'sideEffects'>,
  input: unknown,
): boolean {
  if (!tool?.sideEffect || sideEffects) return false;
  const parsed = tool.input.safeParse(input);
  return parsed.success && (tool.approval?.(parsed.data) ?? true);
}

/**
 * The profile of an unattended run: the permitted ones among the given tools and its team's, and the tool that ends it.
 */
export function readingProfile(
  { system, finish, maxTokens }: { system: string; finish: Tool; maxTokens: number },
  tools: readonly Tool[],
  teamTools: LoadTeamTools,
): LoadProfile {
  const registryOf = createRegistryCache();
  return async (run) => {
    const own = await teamTools(run.teamId);
    const allowed = allowedTools([...tools, ...own.tools], run);
    return {
      system: own.instructions === undefined ? system : `${system}\n\n${own.instructions}`,
      tools: registryOf([...allowed, finish]),
      finishTool: finish.name,
      maxTokens,
    };
  };
}

/** Dependencies of a run's services, built once per worker. */
export interface RunDeps {
  orm: Orm;
  events: EventLog;
  model: ModelClient;
  sources: LoadSources;
  profiles: RunProfiles;
  readScopes: ReadScopes;
  clock: Clock;
  log: Logger;
}

/** The activity attempt a service works for. */
export interface Attempt {
  /** From 1. */
  number: number;
  /** Fires on cancellation, timeout and worker shutdown. */
  signal: AbortSignal;
  /**
   * Whether the run itself was cancelled. Otherwise an aborted attempt merely lost its worker, and another will do the
   * work.
   */
  cancelRequested(): boolean;
  /** Told of what a tool call waits for, and with undefined that it goes on. */
  waiting?(what: string | undefined): void;
}
