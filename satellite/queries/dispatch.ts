/** Maps a request's target to the work: which connector or MCP server, with which parameters, within which limits. */
import { type Connector, prepareCall, QueryError } from '@casebook/connectors';
import type { McpServers } from '@casebook/mcp';
import type { RequestMessage } from '@casebook/wire';
import type { SatelliteConfig } from '../config/index.ts';
import type { Integrations } from '../integrations/index.ts';
import type { Log } from '../log.ts';

/** A connector with its configured limits. */
export interface LimitedConnector {
  connector: Connector;
  timeoutMs: number;
  maxBytes: number;
}

export interface Systems {
  connectors: ReadonlyMap<string, LimitedConnector>;
  mcp: McpServers;
  integrations: Pick<Integrations, 'connector'>;
  /** Of integrations. */
  timeoutMs: number;
  /** Limit of MCP tools and integrations. */
  maxAnswerBytes: number;
}

export interface Work {
  /** The key that concurrency is counted by. */
  target: string;
  timeoutMs: number;
  maxBytes: number;
  /** Whether it may change something, and so must never run twice. */
  mayAct: boolean;
  run(context: { signal: AbortSignal; maxBytes: number; remainingMs: number }): Promise<unknown>;
}

const list = (names: Iterable<string>): string => [...names].join(', ') || 'none';

/** @throws {QueryError} `not_found` or `bad_request`, listing what exists */
export function dispatch({ target, timeoutMs, maxBytes }: RequestMessage, systems: Systems): Work {
  if (target.kind === 'mcp') {
    const { server, tool, arguments: args } = target;
    return {
      target: `mcp:${server}`,
      timeoutMs,
      maxBytes: Math.min(maxBytes, systems.maxAnswerBytes),
      mayAct: !systems.mcp.tools().some((known) => known.server === server && known.name === tool && known.readOnly),
      run: ({ signal, maxBytes }) => systems.mcp.call(server, tool, args, { signal, maxBytes }),
    };
  }
  if (target.kind === 'integration') {
    const run = prepareCall(systems.integrations.connector(target), target.operation, target.parameters);
    return {
      target: `integration:${target.integration}`,
      timeoutMs: Math.min(timeoutMs, systems.timeoutMs),
      maxBytes: Math.min(maxBytes, systems.maxAnswerBytes),
      mayAct: false,
      run,
    };
  }
  const limited = systems.connectors.get(target.connector);
  if (!limited)
    throw new QueryError(
      'not_found',
      `there is no connector "${target.connector}"; there are: ${list(systems.connectors.keys())}`,
    );
  const run = prepareCall(limited.connector, target.operation, target.parameters);
  return {
    target: `connector:${target.connector}`,
    timeoutMs: Math.min(timeoutMs, limited.timeoutMs),
    maxBytes: Math.min(maxBytes, limited.maxBytes),
    mayAct: false,
    run,
  };
}

/** Opens nothing: the connector's check detects a system that is down. */
export function connectAll({ connectors, limits }: SatelliteConfig, log: Log): LimitedConnector[] {
  return connectors.map(({ id, title, timeoutSeconds, maxAnswerBytes, create }) => ({
    connector: create({ id, title, log }),
    timeoutMs: (timeoutSeconds ?? limits.query_timeout_seconds) * 1_000,
    maxBytes: maxAnswerBytes ?? limits.max_answer_bytes,
  }));
}
