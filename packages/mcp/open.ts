/** A single MCP server. */
import type { Health, McpTool } from '@casebook/wire';
import type { McpCallContext } from './port.ts';
import { McpServer, type ClientOptions } from './server.ts';
import type { McpServerSettings } from './settings.ts';
import { DEFAULT_TIMINGS } from './timings.ts';

/** Reconnects, and starts a child process again, after a pause that grows with each failure. */
export interface OpenMcp {
  /** None while the server is away. `readOnly` is the server's own hint, or the owner's word in the settings. */
  tools(): McpTool[];
  /** Number of tools that `tools` leaves out: each server contributes its first MAX_TOOLS with names short enough. */
  omitted(): number;
  /**
   * @returns the server's result as it is: content, structured content, and whether it is an error
   * @throws {McpUnauthorized} when the server does not accept the credential
   * @throws {QueryError} for an unknown tool, or when there is no result
   * @throws the signal's reason when the caller gives up
   */
  call(tool: string, args: Record<string, unknown>, context: McpCallContext): Promise<unknown>;
  /** Resolves when the server is connected; at once if it is. @throws as {@link openMcp}, when the next attempt fails */
  ready(signal: AbortSignal): Promise<void>;
  health(): Health;
  /** Ends the connection and the child process. */
  close(): Promise<void>;
}

interface OpenMcpOptions extends ClientOptions {
  /** Ends the attempt to connect. */
  signal?: AbortSignal;
  /** Called after the server's tools or health have changed. */
  onChange?(): void;
}

/**
 * Connects and lists the tools.
 * @throws {McpUnauthorized} when the server does not accept the credential, or wants one
 * @throws {QueryError} when it cannot be connected, with a message for people
 * @throws the signal's reason
 */
export async function openMcp(settings: McpServerSettings, options: OpenMcpOptions): Promise<OpenMcp> {
  const { log, client, timings = {}, onChange = () => undefined, signal = new AbortController().signal } = options;
  signal.throwIfAborted();
  const server = new McpServer({ settings, log, client, timings: { ...DEFAULT_TIMINGS, ...timings }, onChange });
  try {
    await server.ready(signal);
  } catch (error) {
    await server.close();
    throw error;
  }
  return {
    tools: () => server.listing.tools,
    omitted: () => server.listing.omitted,
    call: (tool, args, context) => server.call(tool, args, context),
    ready: (signal) => server.ready(signal),
    health: () => server.health(),
    close: () => server.close(),
  };
}
