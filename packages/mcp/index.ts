/** A client of MCP servers, over stdio and streamable HTTP, that survives whatever they do. */
export type { McpCallContext, McpServers } from './port.ts';
export { createMcpServers, type McpServersOptions } from './servers.ts';
export type { HttpServer, Log, McpServerSettings, StdioServer } from './settings.ts';
