/** What a client has to know of an MCP server. */
import type { Log as ConnectorLog, Network } from '@casebook/connectors';
import { MAX_ANSWER_BYTES } from '@casebook/wire';

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
  /** Maximum size in bytes of one message of the server. By default that of the largest answer Casebook accepts. */
  maxMessageBytes?: number;
}

/**
 * What a program gets that must not harm the process it serves: a temporary folder as its home, and bounds beyond which it
 * is ended with all its processes. The bounds need Linux; elsewhere there are none.
 */
export interface Confinement {
  /** Resident memory of all its processes together, in bytes. By default 512 MiB. */
  maxMemoryBytes?: number;
  /** By default 32. */
  maxProcesses?: number;
  /**
   * What its home holds when it starts: texts by relative path, for credentials that a program takes only from a file.
   * Readable by this user only, and gone with the process. The home is also its working directory, unless `cwd` says
   * otherwise.
   */
  files?: Readonly<Record<string, string>>;
}

/** A server that is a child of this process. */
export interface StdioServer extends Common {
  transport: 'stdio';
  command: string;
  args: readonly string[];
  /** The process gets nothing else but PATH, HOME and the like: none of this process's own environment. */
  env: Readonly<Record<string, string>>;
  cwd?: string;
  /** If given, its environment is PATH, HOME, TMPDIR and `env`. */
  confine?: Confinement;
}

export interface HttpServer extends Common {
  transport: 'http';
  /** URL of the streamable HTTP endpoint. */
  url: string;
  /** Sent with every request. */
  headers: Readonly<Record<string, string>>;
  /** Restrains where requests go; with it, redirects are not followed. For URLs that the operator did not choose. */
  network?: Network;
  /** Further headers, such as `Authorization`; called before every request. What it throws fails the request. */
  authorize?(asked: CredentialRequest): Promise<Readonly<Record<string, string>>>;
  /** Whether to keep a stream open on which the server can announce changes of its tools; by default true. */
  listen?: boolean;
}

export interface CredentialRequest {
  signal: AbortSignal;
  /**
   * What the last call returned and the server has just refused with status 401. Renew the credential, unless another
   * request has renewed it since: the request is repeated once.
   */
  refused?: Readonly<Record<string, string>>;
}

export type McpServerSettings = StdioServer | HttpServer;

export const DEFAULT_TIMEOUT_MS = 60_000;
/** The largest answer Casebook accepts, and the JSON-RPC around it. */
export const MAX_MESSAGE_BYTES = MAX_ANSWER_BYTES + 64 * 1024;
