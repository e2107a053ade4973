/** All configured MCP servers as one. */
import { QueryError } from '@casebook/connectors';
import type { Log } from '../log.ts';
import type { McpServerConfig } from './config.ts';
import type { McpServers } from './port.ts';
import { McpServer } from './server.ts';
import { DEFAULT_TIMINGS, type McpTimings } from './timings.ts';

export interface McpServersOptions {
  log: Log;
  /** The satellite's version, which its servers are given. */
  version?: string;
  timings?: Partial<McpTimings>;
}

/** Starts connecting to each server and returns at once, whatever the outcome. */
export function createMcpServers(
  configs: readonly McpServerConfig[],
  { log, version = '0', timings = {} }: McpServersOptions,
): McpServers {
  const listeners = new Set<() => void>();
  const onChange = (): void => {
    for (const listener of listeners) listener();
  };
  const servers = new Map(
    configs.map((config) => [
      config.name,
      new McpServer({ config, version, timings: { ...DEFAULT_TIMINGS, ...timings }, log, onChange }),
    ]),
  );
  const all = [...servers.values()];
  return {
    tools: () => all.flatMap(({ listing }) => listing.tools),
    omitted: () => all.reduce((sum, { listing }) => sum + listing.omitted, 0),
    async call(server, tool, args, context) {
      const known = servers.get(server);
      if (known !== undefined) return await known.call(tool, args, context);
      const names = [...servers.keys()];
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
