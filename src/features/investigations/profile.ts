import type { LoadProfile } from '../runs/index.ts';
import { createRegistryCache, sharedTools, type LoadTeamTools, type Tool } from '../tools/index.ts';
import { INVESTIGATION_PROMPT } from './prompt.ts';
import { submitReport } from './report/index.ts';

/**
 * An investigation has every reading tool, of those its team has too, and ends with `submit_report`. It has none with
 * side effects: nobody watches it who could have allowed them.
 * @param tools in place of the shared ones
 */
export function investigationProfile(
  tools: readonly Tool[] = sharedTools,
  teamTools: LoadTeamTools = async () => ({ tools: [] }),
): LoadProfile {
  const registryOf = createRegistryCache();
  return async (_em, { teamId }) => {
    const own = await teamTools(teamId);
    const reading = own.tools.filter(({ sideEffect }) => !sideEffect);
    return {
      system: own.instructions === undefined ? INVESTIGATION_PROMPT : `${INVESTIGATION_PROMPT}\n\n${own.instructions}`,
      tools: registryOf([...tools, ...reading, submitReport]),
      finishTool: submitReport.name,
      maxTokens: 16_000,
    };
  };
}
