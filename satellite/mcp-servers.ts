/** The customer's MCP servers. */
import { createMcpServers, type McpServers } from '@casebook/mcp';
import type { SatelliteConfig } from './config/index.ts';
import type { Log } from './log.ts';

/** Starts connecting to each server and returns at once, whatever the outcome. */
export function startMcpServers(config: SatelliteConfig, { version, log }: { version: string; log: Log }): McpServers {
  return createMcpServers(config.mcp_servers, { log, client: { name: 'casebook-satellite', version } });
}
