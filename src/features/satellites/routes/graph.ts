import { apiKey } from '../../../http/authenticate.ts';
import { endpointFor } from '../../../http/endpoint.ts';
import { serviceNotSeen } from '../errors.ts';
import {
  DependencyGraphResponse,
  DependencyQueryResponse,
  presentDependencies,
  presentGraph,
  presentUnknown,
} from '../graph-responses.ts';
import * as schemas from '../schemas.ts';
import { findSatellite, requireTeam } from '../service.ts';
import type { SatelliteDeps } from './deps.ts';

const endpoint = endpointFor<SatelliteDeps>();

export const dependencies = endpoint({
  method: 'get',
  path: '/satellite/{satellite_id}/dependencies',
  operationId: 'getSatelliteDependencies',
  summary: 'Get the live dependency graph of a satellite',
  tags: ['Satellites'],
  auth: apiKey('satellites:read'),
  params: schemas.SatelliteParams,
  query: schemas.DependenciesQuery,
  response: DependencyGraphResponse,
  errors: [404],
  handler: async ({ em, params, query, principal, deps }) => {
    requireTeam(principal, query.team_id);
    const satellite = await findSatellite(em, params.satellite_id);
    return presentGraph(satellite, await deps.satellites.graphs.edges(principal.teamId, satellite.id, query.limit));
  },
});

export const queryDependencies = endpoint({
  method: 'post',
  path: '/satellite/query/dependencies',
  operationId: 'querySatelliteDependencies',
  summary: 'Query the dependencies of a service, or the impact of its failure',
  description:
    'Queries the live graphs of all satellites of the team, or of one. A failing service affects every service that needs it, directly or not; how much is estimated from call rates, assuming that every call is needed. `unknown` lists what is unknown. A service without any observed call is a 404 with similar names in `near`.',
  tags: ['Satellites'],
  auth: apiKey('satellites:query'),
  body: schemas.DependencyQueryRequest,
  response: DependencyQueryResponse,
  errors: [404],
  handler: async ({ em, body, principal, deps }) => {
    requireTeam(principal, body.team_id);
    const { service, query_type: type, limit } = body;
    const satelliteId = body.satellite_id == null ? undefined : (await findSatellite(em, body.satellite_id)).id;
    const query = { satelliteId, service, type, limit, depth: body.depth ?? undefined };
    const answer = await deps.satellites.graphs.query(principal.teamId, query);
    if (!answer.found)
      throw serviceNotSeen(service, { near: answer.near, unknown: answer.unknown.map(presentUnknown) });
    return presentDependencies(answer);
  },
});
