import type { z } from 'zod';
import type { Credential } from '../identity/index.ts';
import type { Satellite, StoredCluster, StoredHealth } from './entities.ts';
import { problemsOf, routeOf, statusOf } from './liveness.ts';
import type { ClusterStateResponse, MCPToolResponse, SatelliteResponse, SatelliteTokenResponse } from './schemas.ts';
import type { McpTool } from '@casebook/wire';

const iso = (date: Date | null | undefined): string | null => date?.toISOString() ?? null;

export function presentSatellite(satellite: Satellite, now: Date): z.input<typeof SatelliteResponse> {
  const { summary, health } = satellite;
  const connected = routeOf(satellite, now) !== undefined;
  return {
    id: satellite.id,
    team_id: satellite.teamId,
    name: satellite.name,
    status: statusOf(satellite, now),
    problems: connected ? problemsOf(satellite, now) : [],
    version: satellite.version,
    labels: satellite.labels,
    last_heartbeat: satellite.lastHeartbeatAt.toISOString(),
    connected_at: connected ? satellite.connectedAt.toISOString() : null,
    disconnected_at: iso(satellite.disconnectedAt),
    clock_offset_seconds: satellite.clockOffsetMs / 1_000,
    connectors: summary.connectors.map((connector) => ({
      ...connector,
      ...presentHealth(health.find(({ of, id }) => of === 'connector' && id === connector.id)),
    })),
    mcp_servers: serversOf(satellite).map((name) => ({
      name,
      ...presentHealth(health.find(({ of, id }) => of === 'mcp' && id === name)),
    })),
    tool_count: summary.tools,
    omitted_tool_count: summary.omittedTools,
    registered_at: satellite.createdAt.toISOString(),
  };
}

/** A server without tools is listed too: it may be failing. */
function serversOf({ summary, health }: Satellite): string[] {
  const checked = health.filter(({ of }) => of === 'mcp').map(({ id }) => id);
  return [...new Set([...summary.servers, ...checked])].sort();
}

const presentHealth = (health: StoredHealth | undefined) => ({
  status: health?.status ?? ('unknown' as const),
  message: health?.message ?? null,
  checked_at: health?.checkedAt ?? null,
});

export const presentCluster = ({ observedAt, ...cluster }: StoredCluster): z.input<typeof ClusterStateResponse> => ({
  ...cluster,
  version: cluster.version ?? null,
  problems: cluster.problems.map((problem) => ({
    ...problem,
    namespace: problem.namespace ?? null,
    message: problem.message ?? null,
  })),
  observed_at: observedAt,
});

export const presentTool = (
  tool: McpTool,
  satellite: Pick<Satellite, 'id' | 'name'>,
  available: boolean,
): z.input<typeof MCPToolResponse> => ({
  name: tool.name,
  server: tool.server,
  satellite_id: satellite.id,
  satellite: satellite.name,
  available,
  title: tool.title ?? null,
  description: tool.description,
  input_schema: tool.inputSchema,
  output_schema: tool.outputSchema ?? null,
  read_only: tool.readOnly,
});

export const presentToken = (token: Credential): z.input<typeof SatelliteTokenResponse> => ({
  id: token.id,
  name: token.name,
  prefix: token.prefix,
  created_at: token.createdAt.toISOString(),
  expires_at: iso(token.expiresAt),
  last_used_at: iso(token.lastUsedAt),
  revoked_at: iso(token.revokedAt),
});
