import { createRegistryCache, type LoadTeamTools, type Tool } from '../tools/index.ts';
import type { LoadProfile } from './profiles.ts';

/**
 * The profile of a run that nobody watches: every reading tool it is given, of those its team has too, and one by which it
 * ends. It has none with side effects: there is nobody who could have allowed them.
 */
export function readingProfile(
  { system, finish, maxTokens }: { system: string; finish: Tool; maxTokens: number },
  tools: readonly Tool[],
  teamTools: LoadTeamTools,
): LoadProfile {
  const registryOf = createRegistryCache();
  return async (_em, { teamId }) => {
    const own = await teamTools(teamId);
    const reading = own.tools.filter(({ sideEffect }) => !sideEffect);
    return {
      system: own.instructions === undefined ? system : `${system}\n\n${own.instructions}`,
      tools: registryOf([...tools, ...reading, finish]),
      finishTool: finish.name,
      maxTokens,
    };
  };
}
