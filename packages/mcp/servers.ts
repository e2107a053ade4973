/** Several MCP servers as one. */
import { QueryError } from '@casebook/connectors';
import type { McpServers } from './port.ts';
import { McpServer, type ClientOptions } from './server.ts';
import type { McpServerSettings } from './settings.ts';
import { DEFAULT_TIMINGS } from './timings.ts';

/** Starts connecting to each server and returns at once, whatever the outcome. */
export function createMcpServers(
  servers: readonly McpServerSettings[],
  { log, client, timings = {} }: ClientOptions,
): McpServers {
  const listeners = new Set<() => void>();
  const onChange = (): void => {
    for (const listener of listeners) listener();
  };
  const byName = new Map(
    servers.map((settings) => [
      settings.name,
      new McpServer({ settings, client, timings: { ...DEFAULT_TIMINGS, ...timings }, log, onChange }),
    ]),
  );
  const all = [...byName.values()];
  return {
    tools: () => all.flatMap(({ listing }) => listing.tools),
    omitted: () => all.reduce((sum, { listing }) => sum + listing.omitted, 0),
    async call(server, tool, args, context) {
      const known = byName.get(server);
      if (known !== undefined) return await known.call(tool, args, context);
      const names = [...byName.keys()];
      const there = names.length === 0 ? 'There are none.' : `There are: ${names.join(', ')}.`;
      throw new QueryError('not_found', `There is no MCP server ${JSON.stringify(server)}. ${there}`);
    },
    health: () => all.map((server) => server.health()),
    onChange: (listener) => void listeners.add(listener),
    async close() {
      await Promise.all(all.map((server) => server.close()));
    },
  };
}
