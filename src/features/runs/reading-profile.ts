import { createRegistryCache, type LoadTeamTools, type Tool } from '../tools/index.ts';
import { allowedTools, type LoadProfile } from './profiles.ts';

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
