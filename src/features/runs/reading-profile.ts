import { createRegistryCache, type LoadTeamTools, type Tool } from '../tools/index.ts';
import { allowedTools, type LoadProfile } from './profiles.ts';

/**
 * The profile of a run that nobody watches: of the tools given and its team's those that it may call, and one by which it
 * ends.
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
