/** How the workspace's tools answer. */
import { z } from 'zod';
import { untilReachable } from '../../runs/index.ts';
import { errorOutput, oneLine } from '../../tools/index.ts';
import type { ToolContext, ToolOutput } from '../../tools/tool.ts';
import { WorkspaceError } from '../port.ts';

const DIGEST_CHARACTERS = 200;
const MAX_PATH_CHARACTERS = 1_024;

export const pathField = z.string().min(1).max(MAX_PATH_CHARACTERS);

/**
 * Makes a call: what cannot be done is said in the answer. Our own database being away is no failure of the call, which
 * waits; a part that was done before is found done.
 */
export async function answering(context: ToolContext, call: () => Promise<ToolOutput>): Promise<ToolOutput> {
  try {
    return await untilReachable(call, context.signal);
  } catch (error) {
    if (error instanceof WorkspaceError) return errorOutput(error.message);
    throw error;
  }
}

/** Text for the model, and one line without contents for the operator. */
export function textAnswer(content: string, digest: string): ToolOutput {
  return { content, digest: oneLine(digest, DIGEST_CHARACTERS) };
}

/** {@link textAnswer} as JSON; sizes are exact. */
export function jsonAnswer(result: object, digest: string): ToolOutput {
  return textAnswer(JSON.stringify(result), digest);
}
