/** The customer's MCP servers. */
export { mcpServersConfig } from './config.ts';
export { createMcpServers } from './servers.ts';
