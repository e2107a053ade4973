import type { LoadProfile } from '../../runs/index.ts';
import { createRegistryCache, sharedTools, type LoadTeamTools, type Tool } from '../../tools/index.ts';
import { INSTRUCTION_PROMPT } from './prompt.ts';
import { submitCheckResult } from './submit-check-result.ts';

/** Most tokens of one answer. */
const MAX_TOKENS = 8_000;

/**
 * A check has every reading tool, of those its team has too, and ends with `submit_check_result`. It has none with side
 * effects: nobody watches it who could have allowed them.
 * @param tools in place of the shared ones
 */
export function instructionProfile(
  tools: readonly Tool[] = sharedTools,
  teamTools: LoadTeamTools = async () => ({ tools: [] }),
): LoadProfile {
  const registryOf = createRegistryCache();
  return async (_em, { teamId }) => {
    const own = await teamTools(teamId);
    const reading = own.tools.filter(({ sideEffect }) => !sideEffect);
    return {
      system: own.instructions === undefined ? INSTRUCTION_PROMPT : `${INSTRUCTION_PROMPT}\n\n${own.instructions}`,
      tools: registryOf([...tools, ...reading, submitCheckResult]),
      finishTool: submitCheckResult.name,
      maxTokens: MAX_TOKENS,
    };
  };
}
