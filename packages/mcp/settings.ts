/** What a client has to know of an MCP server. */
import type { Log as ConnectorLog } from '@casebook/connectors';

/** Receives messages for whoever operates this process. */
export interface Log extends ConnectorLog {
  info(details: object, message: string): void;
}

interface Common {
  /** For people and logs; unique among the servers of one owner. */
  name: string;
  /** How long a tool may stay silent, in ms: progress restarts the time. By default 60,000. */
  timeoutMs?: number;
  /**
   * Tools that the operator vouches change nothing: `all`, or names and globs, in addition to the server's own
   * annotations.
   */
  readOnly?: 'all' | readonly string[];
  /** Names and globs of the tools to offer; all of them by default. `deny` takes precedence over `allow`. */
  allow?: readonly string[];
  deny?: readonly string[];
}

/** A server that is a child of this process. */
export interface StdioServer extends Common {
  transport: 'stdio';
  command: string;
  args: readonly string[];
  /** The process gets nothing else but PATH, HOME and the like: none of this process's own environment. */
  env: Readonly<Record<string, string>>;
  cwd?: string;
}

export interface HttpServer extends Common {
  transport: 'http';
  /** URL of the streamable HTTP endpoint. */
  url: string;
  /** Sent with every request. */
  headers: Readonly<Record<string, string>>;
}

export type McpServerSettings = StdioServer | HttpServer;

export const DEFAULT_TIMEOUT_MS = 60_000;
