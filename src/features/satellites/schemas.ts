/** Requests and responses of the satellites' endpoints. */
import { z } from 'zod';
import { nameField } from '../../http/fields.ts';
import { DEPENDENCY_QUERIES } from './graph/index.ts';
import { SATELLITE_STATUSES } from './liveness.ts';
import { MAX_NAME_CHARACTERS, slug, wireName } from '@casebook/wire';

const time = z.iso.datetime();
const id = z.uuid();

export const TeamQuery = z.object({
  team_id: z.string().min(1).max(100).describe('One of the caller’s teams; anything else is a 403.'),
});
export const SatelliteParams = z.object({ satellite_id: z.uuid().describe('Id of a satellite of the team.') });
export const SatelliteListQuery = z.object({
  ...TeamQuery.shape,
  status: z.enum(SATELLITE_STATUSES).nullable().optional().describe('Only satellites with this status.'),
});
export const DependenciesQuery = z.object({
  ...TeamQuery.shape,
  limit: z.number().int().min(1).max(10_000).default(1_000).describe('Maximum number of edges, most called first.'),
});

const status = z.enum(SATELLITE_STATUSES).meta({
  description:
    'online: connected and healthy; degraded: connected, with problems (see `problems`); offline: not connected.',
});

const ConnectorResponse = z
  .object({
    id: z.string(),
    kind: z.string(),
    title: z.string(),
    status: z.enum(['ok', 'failing', 'unknown']),
    message: z.string().nullable().meta({ description: 'Why it fails.' }),
    checked_at: time.nullable(),
    operations: z.array(z.string()).meta({ description: 'Operations for POST /satellite/query/integration.' }),
  })
  .meta({ id: 'SatelliteConnectorResponse' });

const McpServerResponse = z
  .object({
    name: z.string(),
    status: z.enum(['ok', 'failing', 'unknown']),
    message: z.string().nullable(),
    checked_at: time.nullable(),
  })
  .meta({ id: 'SatelliteMCPServerResponse' });

export const SatelliteResponse = z
  .object({
    id,
    team_id: id,
    name: z.string(),
    status,
    problems: z.array(z.string()).meta({ description: 'Problems of a connected satellite, in sentences.' }),
    version: z.string(),
    labels: z.record(z.string(), z.string()),
    last_heartbeat: time,
    connected_at: time.nullable().meta({ description: 'When the current connection was opened; null when offline.' }),
    disconnected_at: time.nullable(),
    clock_offset_seconds: z.number().meta({ description: 'Its clock minus ours.' }),
    connectors: z.array(ConnectorResponse),
    mcp_servers: z.array(McpServerResponse),
    tool_count: z.number().int(),
    omitted_tool_count: z.number().int().meta({ description: 'Tools beyond what one satellite may announce.' }),
    registered_at: time,
  })
  .meta({ id: 'SatelliteResponse' });

export const SatellitesListResponse = z
  .object({ satellites: z.array(SatelliteResponse), total: z.number().int() })
  .meta({ id: 'SatellitesListResponse' });

export const SatelliteDeletedResponse = z
  .object({ satellite_id: id, deleted: z.literal(true) })
  .meta({ id: 'SatelliteDeletedResponse' });

const count = z.number().int();
export const ClusterStateResponse = z
  .object({
    name: z.string(),
    connector: z.string(),
    version: z.string().nullable(),
    nodes: z.object({ total: count, ready: count }),
    namespaces: count,
    workloads: z.object({ total: count, available: count }),
    pods: z.object({ total: count, running: count, pending: count, failed: count, restarts: count }),
    problems: z.array(
      z.object({
        kind: z.string(),
        namespace: z.string().nullable(),
        name: z.string(),
        reason: z.string(),
        message: z.string().nullable(),
      }),
    ),
    observed_at: time,
  })
  .meta({ id: 'ClusterStateResponse' });
export const ClusterStateList = z.array(ClusterStateResponse).meta({ id: 'ClusterStateList' });

const jsonObject = z.record(z.string(), z.unknown());

export const MCPToolResponse = z
  .object({
    name: z.string(),
    server: z.string(),
    satellite_id: id,
    satellite: z.string(),
    available: z.boolean().meta({ description: 'Whether the satellite is connected now.' }),
    title: z.string().nullable(),
    description: z.string(),
    input_schema: jsonObject.meta({ description: 'JSON Schema of the arguments.' }),
    output_schema: jsonObject.nullable(),
    read_only: z
      .boolean()
      .meta({ description: 'Whether it changes nothing; other tools need the scope satellites:act.' }),
  })
  .meta({ id: 'MCPToolResponse' });

export const MCPToolsListResponse = z
  .object({
    tools: z.array(MCPToolResponse),
    total: z.number().int(),
    omitted: z.number().int().meta({ description: 'Tools beyond what a satellite may announce.' }),
  })
  .meta({ id: 'MCPToolsListResponse' });

const bodyTeam = TeamQuery.shape.team_id;
const bodySatellite = z
  .uuid()
  .nullable()
  .optional()
  .describe('The satellite to query; by default the only one that has the target.');
const timeout = z
  .number()
  .min(1)
  .max(100)
  .default(30)
  .describe('Timeout of the system behind the satellite, in seconds.');

export const IntegrationQueryRequest = z
  .object({
    team_id: bodyTeam,
    satellite_id: bodySatellite,
    connector: slug.describe('Id of a connector, as in the list of satellites.'),
    operation: wireName.describe('One of the connector’s operations.'),
    parameters: jsonObject.default({}).describe('Parameters of the operation.'),
    timeout_seconds: timeout,
  })
  .meta({ id: 'IntegrationQueryRequest' });

export const IntegrationQueryResponse = z
  .object({
    satellite_id: id,
    satellite: z.string(),
    connector: z.string(),
    operation: z.string(),
    result: z.unknown().meta({ description: "The connector's result." }),
    took_ms: z.number().meta({ description: 'How long the satellite took.' }),
  })
  .meta({ id: 'IntegrationQueryResponse' });

export const MCPToolCallRequest = z
  .object({
    team_id: bodyTeam,
    satellite_id: bodySatellite,
    server: slug.describe('Name of an MCP server of the satellite.'),
    tool: wireName,
    arguments: jsonObject.default({}),
    timeout_seconds: timeout,
  })
  .meta({ id: 'MCPToolCallRequest' });

export const MCPToolCallResponse = z
  .object({
    satellite_id: id,
    satellite: z.string(),
    server: z.string(),
    tool: z.string(),
    result: z.unknown().meta({ description: 'The CallToolResult of the server: content, structuredContent, isError.' }),
    took_ms: z.number(),
  })
  .meta({ id: 'MCPToolCallResponse' });

export const DependencyQueryRequest = z
  .object({
    team_id: bodyTeam,
    satellite_id: z
      .uuid()
      .nullable()
      .optional()
      .describe("Only what this satellite sees; by default all of the team's."),
    service: z.string().min(1).max(MAX_NAME_CHARACTERS),
    query_type: z
      .enum(DEPENDENCY_QUERIES)
      .describe('What the service calls; what depends on it; what its failure affects.'),
    depth: z
      .number()
      .int()
      .min(1)
      .max(100)
      .nullable()
      .optional()
      .describe('Maximum number of calls away; unlimited by default.'),
    limit: z.number().int().min(1).max(1_000).default(100).describe('Maximum number of services in the answer.'),
  })
  .meta({ id: 'DependencyQueryRequest' });

export const SatelliteTokenCreateRequest = z
  .object({
    name: nameField,
    expires_at: z.iso
      .datetime({ offset: true })
      .nullable()
      .optional()
      .describe('Without it: never, or when the key it is made with expires.'),
  })
  .meta({ id: 'SatelliteTokenCreateRequest' });

export const SatelliteTokenResponse = z
  .object({
    id,
    name: z.string(),
    prefix: z.string().meta({ description: 'The first characters of the token.' }),
    created_at: time,
    expires_at: time.nullable(),
    last_used_at: time.nullable().meta({ description: 'To the minute.' }),
    revoked_at: time.nullable(),
  })
  .meta({ id: 'SatelliteTokenResponse' });

export const SatelliteTokenListResponse = z
  .object({ tokens: z.array(SatelliteTokenResponse) })
  .meta({ id: 'SatelliteTokenListResponse' });

export const SatelliteTokenCreatedResponse = z
  .object({ ...SatelliteTokenResponse.shape, token: z.string().meta({ description: 'Shown only once.' }) })
  .meta({ id: 'SatelliteTokenCreatedResponse' });
