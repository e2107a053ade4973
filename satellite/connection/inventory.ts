/** What the satellite announces about itself, within the size of one message. */
import { z } from 'zod';
import {
  clusterState,
  connector as connectorSchema,
  jsonSchema,
  mcpTool,
  MAX_CLUSTERS,
  MAX_CONNECTORS,
  MAX_FRAME_BYTES,
  MAX_NAME_CHARACTERS,
  MAX_SCHEMA_CHARACTERS,
  MAX_TOOLS,
  wireEdge,
  type ClusterState,
  type ConnectorInventory,
  type ConnectorKind,
  type GraphMessage,
  type Health,
  type Inventory,
  type McpTool,
} from '@casebook/wire';
import type { Connector, ConnectorOperation } from '@casebook/connectors';
import type { Redactor } from '../redaction/index.ts';

/** Leaves room for the rest of the message. */
const MAX_MESSAGE_BYTES = MAX_FRAME_BYTES - 64 * 1_024;

/** In the protocol's form. */
const MAX_DESCRIPTION_CHARACTERS = 2_000;
const MAX_TITLE_CHARACTERS = 1_000;
const MAX_MESSAGE_CHARACTERS = 1_000;

const bytesOf = (value: unknown): number => Buffer.byteLength(JSON.stringify(value)) + 1;

/**
 * @param found.tools tools that do not fit are dropped and counted
 * @throws when a connector's description violates the protocol, which is a bug in the satellite
 */
export function inventoryOf(found: {
  version: string;
  labels: Record<string, string>;
  connectors: readonly Connector[];
  tools: readonly McpTool[];
  /** Tools dropped earlier. */
  omitted: number;
  /** Kinds of connectors that Casebook may configure. */
  integrations?: readonly ConnectorKind[];
  redactor: Redactor;
}): Inventory {
  const connectors = found.connectors.slice(0, MAX_CONNECTORS).map(describeConnector);
  let room = MAX_MESSAGE_BYTES - bytesOf({ labels: found.labels, connectors });
  const tools: McpTool[] = [];
  for (const tool of found.tools) {
    const redacted = redactTool(tool, found.redactor);
    const bytes = bytesOf(redacted);
    if (tools.length >= MAX_TOOLS || bytes > room || !mcpTool.safeParse(redacted).success) continue;
    tools.push(redacted);
    room -= bytes;
  }
  const omittedTools = found.omitted + found.tools.length - tools.length;
  return {
    version: found.version,
    labels: found.labels,
    connectors,
    tools,
    omittedTools,
    integrations: [...(found.integrations ?? [])],
  };
}

function describeConnector({ id, kind, title, operations }: Connector): ConnectorInventory {
  return connectorSchema.parse({ id, kind, title, operations: operations.map(describeOperation) });
}

function describeOperation({ name, description, parameters, tool }: ConnectorOperation) {
  const { $schema: _, ...schema } = z.toJSONSchema(parameters, { io: 'input', unrepresentable: 'any' });
  const inputSchema = JSON.stringify(schema).length <= MAX_SCHEMA_CHARACTERS ? schema : { type: 'object' };
  return { name, description, inputSchema, tool };
}

/** Clipped after redaction: a replacement may be longer than its secret, and a cut may hide a secret from a rule. */
function redacted(text: string, max: number, redactor: Redactor): string {
  return redactor.text(text).slice(0, max).toWellFormed();
}

/** Redacts the server's texts about a tool, but not its name or its schema's names, which calls depend on. */
function redactTool(tool: McpTool, redactor: Redactor): McpTool {
  const schemaOf = (schema: unknown): McpTool['inputSchema'] =>
    jsonSchema.safeParse(redactor.value(schema)).data ?? { type: 'object' };
  return {
    ...tool,
    ...(tool.title !== undefined && { title: redacted(tool.title, MAX_TITLE_CHARACTERS, redactor) }),
    description: redacted(tool.description, MAX_DESCRIPTION_CHARACTERS, redactor),
    inputSchema: schemaOf(tool.inputSchema),
    ...(tool.outputSchema !== undefined && { outputSchema: schemaOf(tool.outputSchema) }),
  };
}

/** Clusters with as many of their problems as fit into one message, worst first. */
export function clustersOf(found: readonly ClusterState[], redactor: Redactor): ClusterState[] {
  const share = MAX_MESSAGE_BYTES / Math.max(1, Math.min(found.length, MAX_CLUSTERS));
  return found.slice(0, MAX_CLUSTERS).flatMap((cluster) => {
    let room = share - bytesOf({ ...cluster, problems: [] });
    const problems = cluster.problems
      .map((problem) => ({
        ...problem,
        name: redacted(problem.name, 253, redactor),
        reason: redacted(problem.reason, 200, redactor),
        ...(problem.message !== undefined && { message: redacted(problem.message, MAX_MESSAGE_CHARACTERS, redactor) }),
      }))
      .filter((problem) => (room -= bytesOf(problem)) >= 0);
    return clusterState.safeParse({ ...cluster, problems }).data ?? [];
  });
}

/**
 * @returns health in the protocol's form; messages of MCP servers are redacted here, those of connectors already were
 */
export function healthOf(found: readonly Health[], redactor: Redactor): Health[] {
  return found.map((entry) =>
    entry.message === undefined
      ? entry
      : { ...entry, message: redacted(entry.message, MAX_MESSAGE_CHARACTERS, redactor) },
  );
}

/** Names in the graph are the customer's too. Edges that violate the protocol are left out. */
export function redactGraph(message: GraphMessage, redactor: Redactor): GraphMessage {
  const nameOf = (name: string): string => redacted(name, MAX_NAME_CHARACTERS, redactor);
  return {
    ...message,
    edges: message.edges.flatMap((edge) => {
      const named = { ...edge, caller: nameOf(edge.caller), callee: nameOf(edge.callee) };
      return wireEdge.safeParse(named).data ?? [];
    }),
    gone: message.gone
      .map(([caller, callee]): [string, string] => [nameOf(caller), nameOf(callee)])
      .filter(([caller, callee]) => caller !== '' && callee !== ''),
  };
}
