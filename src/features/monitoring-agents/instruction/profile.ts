import { readingProfile, type LoadProfile } from '../../runs/index.ts';
import { sharedTools, type LoadTeamTools, type Tool } from '../../tools/index.ts';
import { INSTRUCTION_PROMPT } from './prompt.ts';
import { submitCheckResult } from './submit-check-result.ts';

/** Maximum tokens per answer. */
const MAX_TOKENS = 8_000;

/**
 * A check ends with `submit_check_result`.
 * @param tools replace the shared ones
 */
export const instructionProfile = (
  tools: readonly Tool[] = sharedTools,
  teamTools: LoadTeamTools = async () => ({ tools: [] }),
): LoadProfile =>
  readingProfile({ system: INSTRUCTION_PROMPT, finish: submitCheckResult, maxTokens: MAX_TOKENS }, tools, teamTools);
