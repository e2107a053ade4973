/** The answers of the workspace's tools. */
import { z } from 'zod';
import { untilReachable } from '../../../db/reach.ts';
import { errorOutput, oneLine } from '../../tools/index.ts';
import type { ToolContext, ToolOutput } from '../../tools/tool.ts';
import { WorkspaceError } from '../port.ts';

const DIGEST_CHARACTERS = 200;
const MAX_PATH_CHARACTERS = 1_024;

export const pathField = z.string().min(1).max(MAX_PATH_CHARACTERS);

/**
 * Runs a call; the answer reports what is impossible. If Casebook's database is down, the call waits instead of
 * failing; a retry finds the part that was done.
 */
export async function answering(context: ToolContext, call: () => Promise<ToolOutput>): Promise<ToolOutput> {
  try {
    return await untilReachable(call, context.signal);
  } catch (error) {
    if (error instanceof WorkspaceError) return errorOutput(error.message);
    throw error;
  }
}

/** Text for the model, and one line without file contents for the operator. */
export function textAnswer(content: string, digest: string): ToolOutput {
  return { content, digest: oneLine(digest, DIGEST_CHARACTERS) };
}

/** {@link textAnswer} as JSON; sizes are exact. */
export function jsonAnswer(result: object, digest: string): ToolOutput {
  return textAnswer(JSON.stringify(result), digest);
}
