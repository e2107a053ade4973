/**
 * What a satellite announces about itself. Both ends validate it: one against its own bugs, the other against a hostile
 * peer.
 */
import { z } from 'zod';
import { MAX_CLUSTERS, MAX_CONNECTORS, MAX_NAME_CHARACTERS, MAX_SCHEMA_CHARACTERS, MAX_TOOLS } from './limits.ts';

export const wireName = z.string().min(1).max(MAX_NAME_CHARACTERS);
/** Names of connectors, servers and satellites: they become parts of tool names and source ids. */
export const slug = z
  .string()
  .regex(/^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/u, 'must be lower-case letters, digits and inner hyphens, at most 63');
const sentence = z.string().max(1_000);
const count = z.number().int().min(0).max(10_000_000);

/** A JSON Schema of an object. */
export const jsonSchema = z
  .record(z.string(), z.unknown())
  .refine((schema) => JSON.stringify(schema).length <= MAX_SCHEMA_CHARACTERS, 'is too long');

export const operation = z.object({
  /** snake_case; unique within its connector. */
  name: z.string().regex(/^[a-z][a-z0-9_]{0,63}$/u),
  description: z.string().max(2_000),
  /** JSON Schema of the parameters. */
  inputSchema: jsonSchema,
  /** Whether a model gets it as a separate tool; others serve the telemetry sources. */
  tool: z.boolean(),
});

export const CONNECTOR_KINDS = [
  'prometheus',
  'loki',
  'tempo',
  'jaeger',
  'elasticsearch',
  'opensearch',
  'kubernetes',
  'alertmanager',
  'postgresql',
  'clickhouse',
  'googlecloud',
  'azuremonitor',
  'http',
  'recorded',
  'newrelic',
  'cloudflare',
  'gitea',
  'github',
  'gitlab',
] as const;

export const connector = z.object({
  id: slug,
  kind: z.enum(CONNECTOR_KINDS),
  title: sentence,
  operations: z.array(operation).max(100),
});

/** A tool of one of the customer's MCP servers. */
export const mcpTool = z.object({
  server: slug,
  name: z.string().min(1).max(MAX_NAME_CHARACTERS),
  title: sentence.optional(),
  description: z.string().max(2_000),
  inputSchema: jsonSchema,
  outputSchema: jsonSchema.optional(),
  /**
   * It changes nothing, according to its server or the satellite's operator. Anything else needs the permission to act.
   */
  readOnly: z.boolean(),
});

/** Rarely changing facts: sent after connecting and after each change. */
export const inventory = z.object({
  version: wireName,
  labels: z
    .record(z.string().max(100), z.string().max(500))
    .refine((labels) => Object.keys(labels).length <= 50, 'has too many members'),
  connectors: z.array(connector).max(MAX_CONNECTORS),
  tools: z.array(mcpTool).max(MAX_TOOLS),
  /** Number of tools that did not fit. */
  omittedTools: count,
  /** Kinds of connectors that Casebook may configure; earlier satellites take none. */
  integrations: z.array(z.enum(CONNECTOR_KINDS)).optional(),
});

/** The health of one connector or MCP server. */
export const health = z.object({
  id: slug,
  of: z.enum(['connector', 'mcp']),
  status: z.enum(['ok', 'failing', 'unknown']),
  /** Why it fails. */
  message: sentence.optional(),
  /** How long ago it was checked, in ms; absent if never. Unlike times, ages survive a wrong clock. */
  checkedAgoMs: z.number().min(0).optional(),
});

/** A Kubernetes cluster, as one connector sees it. */
export const clusterState = z.object({
  name: wireName,
  connector: slug,
  version: z.string().max(100).optional(),
  nodes: z.object({ total: count, ready: count }),
  namespaces: count,
  workloads: z.object({ total: count, available: count }),
  pods: z.object({ total: count, running: count, pending: count, failed: count, restarts: count }),
  /** Current problems, worst first. */
  problems: z
    .array(
      z.object({
        kind: z.string().max(100),
        namespace: z.string().max(253).optional(),
        name: z.string().max(253),
        reason: z.string().max(200),
        message: sentence.optional(),
      }),
    )
    .max(100),
  observedAgoMs: z.number().min(0),
});

export const clusters = z.array(clusterState).max(MAX_CLUSTERS);

export type Operation = z.output<typeof operation>;
export type ConnectorKind = (typeof CONNECTOR_KINDS)[number];
export type ConnectorInventory = z.output<typeof connector>;
export type McpTool = z.output<typeof mcpTool>;
export type Inventory = z.output<typeof inventory>;
export type Health = z.output<typeof health>;
export type ClusterState = z.output<typeof clusterState>;
