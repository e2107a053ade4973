/** A client of MCP servers, over stdio and streamable HTTP, that survives whatever they do. */
export { discoverAuthorization, registerAt, type McpAuthorization } from './authorization.ts';
export { McpUnauthorized } from './errors.ts';
export { openMcp, type OpenMcp } from './open.ts';
export type { McpCallContext, McpServers } from './port.ts';
export type { ClientOptions } from './server.ts';
export { createMcpServers } from './servers.ts';
export type { Confinement, CredentialRequest, HttpServer, Log, McpServerSettings, StdioServer } from './settings.ts';
export { findToolServer, type ToolServerProgram } from './tool-servers.ts';
