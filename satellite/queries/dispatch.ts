/** From a request's target to the work: which connector or MCP server, with which parameters, within which limits. */
import { z } from 'zod';
import type { RequestMessage, RequestTarget } from '@casebook/wire';
import { QueryError, type Connector, type ConnectorOperation } from '@casebook/connectors';
import type { McpServers } from '../mcp/port.ts';

/** A connector with the limits that the configuration sets it. */
export interface LimitedConnector {
  connector: Connector;
  timeoutMs: number;
  maxBytes: number;
}

export interface Systems {
  connectors: ReadonlyMap<string, LimitedConnector>;
  mcp: McpServers;
  /** Of what comes from MCP servers. */
  maxAnswerBytes: number;
}

export interface Work {
  /** What the concurrency is counted by. */
  target: string;
  timeoutMs: number;
  maxBytes: number;
  /** Whether it may have changed something; then it must never be done twice. */
  mayAct: boolean;
  run(context: { signal: AbortSignal; maxBytes: number; remainingMs: number }): Promise<unknown>;
}

const list = (names: Iterable<string>): string => [...names].join(', ') || 'none';

/** @throws {QueryError} `not_found` or `bad_request`, saying what there is */
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
  const limited = systems.connectors.get(target.connector);
  if (!limited)
    throw new QueryError(
      'not_found',
      `there is no connector "${target.connector}"; there are: ${list(systems.connectors.keys())}`,
    );
  const { operation, parameters } = operationOf(limited.connector, target);
  return {
    target: `connector:${target.connector}`,
    timeoutMs: Math.min(timeoutMs, limited.timeoutMs),
    maxBytes: Math.min(maxBytes, limited.maxBytes),
    mayAct: false,
    run: (context) => operation.run(parameters, context),
  };
}

function operationOf(
  { id, operations }: Connector,
  target: Extract<RequestTarget, { kind: 'connector' }>,
): { operation: ConnectorOperation; parameters: Record<string, unknown> } {
  const operation = operations.find(({ name }) => name === target.operation);
  if (!operation)
    throw new QueryError(
      'not_found',
      `connector "${id}" has no operation "${target.operation}"; it has: ${list(operations.map(({ name }) => name))}`,
    );
  const parsed = operation.parameters.safeParse(target.parameters);
  if (parsed.success) return { operation, parameters: parsed.data };
  const issues = parsed.error.issues.map(({ path, message }) => `${path.join('.') || 'parameters'}: ${message}`);
  throw new QueryError('bad_request', `${issues.join('; ')}. ${accepted(operation)}`);
}

/** What an operation takes, in one line. */
function accepted({ name, parameters }: ConnectorOperation): string {
  const schema = z.toJSONSchema(parameters, { io: 'input', unrepresentable: 'any' });
  const required = new Set(schema.required);
  const members = Object.keys(schema.properties ?? {}).map((member) => (required.has(member) ? member : `${member}?`));
  return `${name} accepts: ${members.length > 0 ? `{${members.join(', ')}}` : '{} (nothing)'}`;
}
