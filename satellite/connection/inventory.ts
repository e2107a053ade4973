/** What the satellite announces about itself, within what one message may hold. */
import { z } from 'zod';
import {
  clusterState,
  connector as connectorSchema,
  mcpTool,
  MOST_CLUSTERS,
  MOST_CONNECTORS,
  MOST_FRAME_BYTES,
  MOST_SCHEMA_CHARACTERS,
  MOST_TOOLS,
  wireEdge,
  type ClusterState,
  type ConnectorInventory,
  type GraphMessage,
  type Health,
  type Inventory,
  type McpTool,
} from '../../src/features/satellites/wire/index.ts';
import type { Connector, ConnectorOperation } from '../connectors/connector.ts';
import type { Redactor } from '../redaction/index.ts';

/** Leaves room for what is around the tools. */
const MOST_MESSAGE_BYTES = MOST_FRAME_BYTES - 64 * 1_024;

const bytesOf = (value: unknown): number => Buffer.byteLength(JSON.stringify(value)) + 1;

/**
 * @param found.tools tools that do not fit are left out and counted
 * @throws when a connector describes itself in a way the protocol does not have: a fault of this program
 */
export function inventoryOf(found: {
  version: string;
  labels: Record<string, string>;
  connectors: readonly Connector[];
  tools: readonly McpTool[];
  /** Tools that were left out before. */
  omitted: number;
  redactor: Redactor;
}): Inventory {
  const connectors = found.connectors.slice(0, MOST_CONNECTORS).map(describeConnector);
  let room = MOST_MESSAGE_BYTES - bytesOf({ labels: found.labels, connectors });
  const tools: McpTool[] = [];
  for (const tool of found.tools) {
    const redacted = redactTool(tool, found.redactor);
    const bytes = bytesOf(redacted);
    if (tools.length >= MOST_TOOLS || bytes > room || !mcpTool.safeParse(redacted).success) continue;
    tools.push(redacted);
    room -= bytes;
  }
  const omittedTools = found.omitted + found.tools.length - tools.length;
  return { version: found.version, labels: found.labels, connectors, tools, omittedTools };
}

function describeConnector({ id, kind, title, operations }: Connector): ConnectorInventory {
  return connectorSchema.parse({ id, kind, title, operations: operations.map(describeOperation) });
}

function describeOperation({ name, description, parameters, tool }: ConnectorOperation) {
  const { $schema: _, ...schema } = z.toJSONSchema(parameters, { io: 'input', unrepresentable: 'any' });
  const inputSchema = JSON.stringify(schema).length <= MOST_SCHEMA_CHARACTERS ? schema : { type: 'object' };
  return { name, description, inputSchema, tool };
}

/** What its server wrote about a tool; its name and schema are what it is called by and with. */
function redactTool(tool: McpTool, redactor: Redactor): McpTool {
  const title = tool.title === undefined ? {} : { title: redactor.text(tool.title) };
  return { ...tool, ...title, description: redactor.text(tool.description) };
}

/** Clusters with as many of their problems as one message holds, the worst first. */
export function clustersOf(found: readonly ClusterState[], redactor: Redactor): ClusterState[] {
  const most = MOST_MESSAGE_BYTES / Math.max(1, Math.min(found.length, MOST_CLUSTERS));
  return found.slice(0, MOST_CLUSTERS).flatMap((cluster) => {
    let room = most - bytesOf({ ...cluster, problems: [] });
    const problems = cluster.problems
      .map((problem) => ({
        ...problem,
        name: redactor.text(problem.name),
        ...(problem.message !== undefined && { message: redactor.text(problem.message) }),
      }))
      .filter((problem) => (room -= bytesOf(problem)) >= 0);
    return clusterState.safeParse({ ...cluster, problems }).data ?? [];
  });
}

/** @returns health as the protocol has it; the messages of MCP servers are redacted here, those of connectors were before */
export function healthOf(found: readonly Health[], redactor: Redactor): Health[] {
  return found.map((entry) =>
    entry.message === undefined ? entry : { ...entry, message: redactor.text(entry.message).slice(0, 1_000) },
  );
}

/** The graph's names are the customer's too. An edge that the protocol does not have is left out. */
export function redactGraph(message: GraphMessage, redactor: Redactor): GraphMessage {
  return {
    ...message,
    edges: message.edges.flatMap((edge) => {
      const redacted = { ...edge, caller: redactor.text(edge.caller), callee: redactor.text(edge.callee) };
      return wireEdge.safeParse(redacted).data ?? [];
    }),
    gone: message.gone.map(([caller, callee]) => [redactor.text(caller), redactor.text(callee)]),
  };
}
