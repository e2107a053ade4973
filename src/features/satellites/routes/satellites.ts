import { apiKey } from '../../../http/authenticate.ts';
import { endpointFor } from '../../../http/endpoint.ts';
import { presentCluster, presentSatellite, presentTool } from '../presenter.ts';
import * as schemas from '../schemas.ts';
import { clustersOf, deleteSatellite, findSatellite, listSatellites, listTools, requireTeam } from '../service.ts';
import type { SatelliteDeps } from './deps.ts';

const endpoint = endpointFor<SatelliteDeps>();

export const list = endpoint({
  method: 'get',
  path: '/satellite/list',
  operationId: 'listSatellites',
  summary: 'List satellites',
  tags: ['Satellites'],
  auth: apiKey('satellites:read'),
  query: schemas.SatelliteListQuery,
  response: schemas.SatellitesListResponse,
  handler: async ({ em, query, principal, deps }) => {
    requireTeam(principal, query.team_id);
    const now = deps.clock.now();
    const satellites = await listSatellites(em, now, query.status);
    return { satellites: satellites.map((each) => presentSatellite(each, now)), total: satellites.length };
  },
});

export const get = endpoint({
  method: 'get',
  path: '/satellite/{satellite_id}',
  operationId: 'getSatellite',
  summary: 'Get a satellite with its connectors and their health',
  tags: ['Satellites'],
  auth: apiKey('satellites:read'),
  params: schemas.SatelliteParams,
  query: schemas.TeamQuery,
  response: schemas.SatelliteResponse,
  errors: [404],
  handler: async ({ em, params, query, principal, deps }) => {
    requireTeam(principal, query.team_id);
    return presentSatellite(await findSatellite(em, params.satellite_id), deps.clock.now());
  },
});

export const remove = endpoint({
  method: 'delete',
  path: '/satellite/{satellite_id}',
  operationId: 'deleteSatellite',
  summary: 'Delete the registration of a satellite',
  description:
    'Deletes only the registration: a running satellite registers again with its next heartbeat, under the same id. Revoke its token to keep it away.',
  tags: ['Satellites'],
  auth: apiKey('satellites:write'),
  params: schemas.SatelliteParams,
  query: schemas.TeamQuery,
  response: schemas.SatelliteDeletedResponse,
  errors: [404],
  handler: async ({ em, params, query, principal }) => {
    requireTeam(principal, query.team_id);
    await deleteSatellite(em, params.satellite_id);
    return { satellite_id: params.satellite_id, deleted: true as const };
  },
});

export const clusters = endpoint({
  method: 'get',
  path: '/satellite/{satellite_id}/clusters',
  operationId: 'listSatelliteClusters',
  summary: 'List the Kubernetes clusters behind a satellite, with their problems',
  tags: ['Satellites'],
  auth: apiKey('satellites:read'),
  params: schemas.SatelliteParams,
  query: schemas.TeamQuery,
  response: schemas.ClusterStateList,
  errors: [404],
  handler: async ({ em, params, query, principal }) => {
    requireTeam(principal, query.team_id);
    return (await clustersOf(em, params.satellite_id)).map(presentCluster);
  },
});

export const tools = endpoint({
  method: 'get',
  path: '/satellite/tools/list',
  operationId: 'listSatelliteTools',
  summary: 'List the MCP tools behind satellites',
  tags: ['Satellites'],
  auth: apiKey('satellites:read'),
  query: schemas.TeamQuery,
  response: schemas.MCPToolsListResponse,
  handler: async ({ em, query, principal, deps }) => {
    requireTeam(principal, query.team_id);
    const found = await listTools(em, deps.clock.now());
    return {
      tools: found.tools.map(({ tool, satellite, available }) => presentTool(tool, satellite, available)),
      total: found.tools.length,
      omitted: found.omitted,
    };
  },
});
