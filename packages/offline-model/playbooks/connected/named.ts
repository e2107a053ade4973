/** Which connected systems a text names. */
import { mentions } from '../investigation/words.ts';
import type { ConnectedTool } from './catalogue.ts';
import { kindsIn } from './questions.ts';

export const systemsOf = (tools: readonly ConnectedTool[]): string[] =>
  [...new Set(tools.map(({ system }) => system))].sort();

/** The systems that a text names: by name, else by their kind. */
export function namedSystems(text: string, tools: readonly ConnectedTool[]): string[] {
  const systems = systemsOf(tools);
  const literal = systems.filter((system) => mentions(text, system));
  const longest = literal.filter((one) => !literal.some((other) => other !== one && other.includes(one)));
  if (longest.length > 0) return longest;
  const kinds = kindsIn(text);
  return systems.filter((system) => tools.some((tool) => tool.system === system && kinds.includes(tool.kind)));
}
