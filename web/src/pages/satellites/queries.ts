import { queryOptions } from '@tanstack/react-query';
import { api, dataOf, type Schema } from '../../api/client.ts';
import { pollMs } from '../../api/polling.ts';

export type Satellite = Schema<'SatelliteResponse'>;
export type Cluster = Schema<'ClusterStateResponse'>;
export type EnrolmentToken = Schema<'SatelliteTokenResponse'>;

/** The most edges the API returns at once. */
export const MAX_EDGES = 10_000;

export const satellitesQuery = (teamId: string) =>
  queryOptions({
    queryKey: ['satellites', teamId],
    queryFn: async ({ signal }) =>
      (await dataOf(api.GET('/satellite/list', { params: { query: { team_id: teamId } }, signal }))).satellites,
    refetchInterval: ({ state }) => pollMs(state.error, true),
  });

export const satelliteQuery = (teamId: string, satelliteId: string) =>
  queryOptions({
    queryKey: ['satellites', teamId, satelliteId],
    queryFn: ({ signal }) =>
      dataOf(
        api.GET('/satellite/{satellite_id}', {
          params: { path: { satellite_id: satelliteId }, query: { team_id: teamId } },
          signal,
        }),
      ),
    refetchInterval: ({ state }) => pollMs(state.error, true),
  });

export const clustersQuery = (teamId: string, satelliteId: string) =>
  queryOptions({
    queryKey: ['satellites', teamId, satelliteId, 'clusters'],
    queryFn: ({ signal }) =>
      dataOf(
        api.GET('/satellite/{satellite_id}/clusters', {
          params: { path: { satellite_id: satelliteId }, query: { team_id: teamId } },
          signal,
        }),
      ),
    refetchInterval: ({ state }) => pollMs(state.error, false),
  });

/** The graph does not refresh by itself: a layout that moves while being read helps nobody. */
export const graphQuery = (teamId: string, satelliteId: string) =>
  queryOptions({
    queryKey: ['satellites', teamId, satelliteId, 'graph'],
    queryFn: ({ signal }) =>
      dataOf(
        api.GET('/satellite/{satellite_id}/dependencies', {
          params: { path: { satellite_id: satelliteId }, query: { team_id: teamId, limit: MAX_EDGES } },
          signal,
        }),
      ),
    staleTime: 60_000,
  });

/** What the failure of a service affects. */
export const impactQuery = (teamId: string, satelliteId: string, service: string) =>
  queryOptions({
    queryKey: ['satellites', teamId, satelliteId, 'impact', service],
    queryFn: ({ signal }) =>
      dataOf(
        api.POST('/satellite/query/dependencies', {
          body: { team_id: teamId, satellite_id: satelliteId, service, query_type: 'get_impact', limit: 100 },
          signal,
        }),
      ),
  });

export const toolsQuery = (teamId: string) =>
  queryOptions({
    queryKey: ['satellites', teamId, 'tools'],
    queryFn: ({ signal }) =>
      dataOf(api.GET('/satellite/tools/list', { params: { query: { team_id: teamId } }, signal })),
  });

export const tokensQuery = (teamId: string) =>
  queryOptions({
    queryKey: ['satellite-tokens', teamId],
    queryFn: async ({ signal }) => (await dataOf(api.GET('/api/satellite-tokens', { signal }))).tokens,
  });
