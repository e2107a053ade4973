/** What a team has connected: tools and sources of its runs. */
import { LRUCache } from 'lru-cache';
import { catalogOver, type LoadSources, type SourceCatalog } from '../../sources/index.ts';
import type { LoadTeamTools, TeamTools } from '../tool.ts';
import { named, type LoadSystems, type NamedOffer, type Systems } from './offer.ts';
import { directTools, foundTools, SEARCH_TOOL } from './tools.ts';

export { namesFor } from './naming.ts';
export { readMcpResult } from './mcp-result.ts';
export { theirWords, type LoadSystems, type Offer, type Systems } from './offer.ts';

/** Above either limit, tools are searched for: a model pays for every definition in every turn. */
const MAX_DIRECT = 30;
const MAX_DIRECT_CHARACTERS = 60_000;

/**
 * The sources and tools of a team: the installation's own sources, and what the team has connected.
 * @param loaders one for each kind of connected system, in the order of their tools
 * @param own the installation's sources
 * @param reserved tool names that runs use anyway
 */
export function connectSystems(
  loaders: readonly LoadSystems[],
  { own, reserved }: { own: SourceCatalog; reserved: readonly string[] },
): { sources: LoadSources; tools: LoadTeamTools } {
  // Asked by every activity of every run and never cached: what was just connected is there for the next step.
  const loading = new Map<string, Promise<Systems[]>>();
  const systemsOf = (teamId: string): Promise<Systems[]> => {
    const shared =
      loading.get(teamId) ?? Promise.all(loaders.map((load) => load(teamId))).finally(() => loading.delete(teamId));
    loading.set(teamId, shared);
    return shared;
  };
  const made = new LRUCache<string, TeamTools>({ max: 200 });
  const taken = new Set(reserved);

  return {
    async sources(call) {
      const sources = (await systemsOf(call.teamId)).flatMap((systems) => systems.sources(call));
      return catalogOver(() => [...own.list(), ...sources]);
    },
    async tools(teamId) {
      const systems = await systemsOf(teamId);
      const key = [teamId, ...systems.map(({ digest }) => digest)].join(' ');
      const tools = made.get(key) ?? toolsOf(systems, taken);
      made.set(key, tools);
      return tools;
    },
  };
}

function toolsOf(systems: readonly Systems[], reserved: ReadonlySet<string>): TeamTools {
  const offers = named(
    systems.flatMap((one) => one.offers()),
    reserved,
  );
  const searched = offers.length > MAX_DIRECT || charactersOf(offers) > MAX_DIRECT_CHARACTERS;
  const instructions = systems.flatMap((one) => one.instructions(searched ? SEARCH_TOOL : undefined) ?? []);
  return {
    tools: searched ? foundTools(offers) : directTools(offers),
    ...(instructions.length > 0 && { instructions: instructions.join('\n\n') }),
  };
}

function charactersOf(offers: readonly NamedOffer[]): number {
  return offers.reduce((sum, { description, inputSchema }) => {
    return sum + description.length + JSON.stringify(inputSchema).length;
  }, 0);
}
