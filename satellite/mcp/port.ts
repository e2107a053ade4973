/** What the rest of the satellite knows of the customer's MCP servers. */
import type { Health, McpTool } from '@casebook/wire';

export interface McpCallContext {
  /** Fires when nobody waits any more, and when the call's time is over. */
  signal: AbortSignal;
  /** Most bytes of the result; more is a `QueryError` `too_large`. */
  maxBytes: number;
}

/** Every configured MCP server, each connected on its own: one that is down holds up nothing. */
export interface McpServers {
  /** Of the servers that answer now, in the order of the configuration; not yet bounded in number. */
  tools(): McpTool[];
  /** Allowed tools that are not among them: each server's first MAX_TOOLS are, if their names are not too long. */
  omitted(): number;
  /**
   * @returns the result as the server gave it: content, structured content, and whether it is an error
   * @throws {QueryError} when there is no such server or tool, or no result
   * @throws the signal's reason when nobody waits any more
   */
  call(server: string, tool: string, args: Record<string, unknown>, context: McpCallContext): Promise<unknown>;
  /** One entry for each configured server. */
  health(): Health[];
  /** Called after the tools or the health of a server have changed. */
  onChange(listener: () => void): void;
  /** Ends the connections and the child processes. */
  close(): Promise<void>;
}
