/** How tools report findings and failures. */
import { compactJson, oneLine } from './text.ts';
import type { ToolEffect, ToolOutput } from './tool.ts';

export const DIGEST_CHARACTERS = 200;

/** A result as compact JSON, with its digest for the operator. */
export function jsonOutput(result: object, digest: string, effect?: ToolEffect): ToolOutput {
  const output = { content: compactJson(result), digest: oneLine(digest, DIGEST_CHARACTERS) };
  return effect === undefined ? output : { ...output, effect };
}

/**
 * A call that could not be answered, in words that tell the model what would work.
 * @param details further properties next to `error`
 */
export function errorOutput(message: string, details: object = {}): ToolOutput {
  return {
    content: compactJson({ error: message, ...details }),
    digest: oneLine(`Error: ${message}`, DIGEST_CHARACTERS),
    isError: true,
  };
}
