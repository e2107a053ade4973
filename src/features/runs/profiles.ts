import { grants } from '../../http/authenticate.ts';
import type { Tool, ToolRegistry } from '../tools/index.ts';
import type { RunKind } from './contract.ts';
import type { Run } from './entities.ts';

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
