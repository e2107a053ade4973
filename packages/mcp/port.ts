/** Several MCP servers, as their owner sees them. */
import type { Health, McpTool } from '@casebook/wire';

export interface McpCallContext {
  /** Fires when the caller gives up, and when the call times out. */
  signal: AbortSignal;
  /** Maximum size of the result in bytes; beyond it, a `QueryError` `too_large`. */
  maxBytes: number;
}

/** All configured MCP servers, each connected separately: one that is down does not affect the others. */
export interface McpServers {
  /** Tools of the servers that are up, in the order of the configuration; their number is not yet bounded. */
  tools(): McpTool[];
  /**
   * Allowed tools that are missing from the list: each server contributes its first MAX_TOOLS with names short enough.
   */
  omitted(): number;
  /**
   * @returns the server's result as it is: content, structured content, and whether it is an error
   * @throws {QueryError} for an unknown server or tool, or when there is no result
   * @throws the signal's reason when the caller gives up
   */
  call(server: string, tool: string, args: Record<string, unknown>, context: McpCallContext): Promise<unknown>;
  /** One entry for each configured server. */
  health(): Health[];
  /** Called after a server's tools or health have changed. */
  onChange(listener: () => void): void;
  /** Ends the connections and the child processes. */
  close(): Promise<void>;
}
