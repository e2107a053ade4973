import { creatorOf } from '../../../src/db/base.ts';
import { Credential } from '../../../src/features/identity/index.ts';
import { Satellite } from '../../../src/features/satellites/entities.ts';
import { SECRET, type CreateIsolation } from '../../http/support/team-isolation.ts';

/** The owner's satellite, which has a Prometheus. */
export const OWNED_SATELLITE = 'of-the-owner';

export const isolation: CreateIsolation = ({ em, teamId, otherTeamId }) => {
  const token = em.create(Credential, {
    teamId,
    kind: 'satellite',
    name: SECRET,
    prefix: 'cbs_x',
    hash: 'x',
    ...creatorOf(),
  });
  const tool = { server: 'tools', name: SECRET, description: SECRET, inputSchema: {}, readOnly: true };
  const satellite = em.create(Satellite, {
    teamId,
    name: OWNED_SATELLITE,
    version: SECRET,
    labels: {},
    instance: teamId,
    tokenId: token.id,
    connectedAt: new Date(),
    lastHeartbeatAt: new Date(),
    clockOffsetMs: 0,
    health: [],
    summary: {
      connectors: [{ id: 'prometheus', kind: 'prometheus', title: SECRET, operations: ['query'] }],
      servers: ['tools'],
      tools: 1,
      omittedTools: 0,
    },
    inventory: { version: SECRET, labels: {}, connectors: [], tools: [tool], omittedTools: 0 },
    inventoryBytes: 1,
    inventoryDigest: 'x',
    clusters: [],
  });
  // The other team names itself, as it must; what it asks for is the owner's.
  const query = { team_id: otherTeamId };
  const ofSatellite = { params: { satellite_id: satellite.id }, query };
  const asking = { team_id: otherTeamId, satellite_id: satellite.id };
  return {
    examples: {
      listSatellites: { query },
      listSatelliteTools: { query },
      getSatellite: ofSatellite,
      deleteSatellite: ofSatellite,
      listSatelliteClusters: ofSatellite,
      getSatelliteDependencies: ofSatellite,
      querySatelliteIntegration: { body: { ...asking, connector: 'prometheus', operation: 'query' } },
      callSatelliteTool: { body: { ...asking, server: 'tools', tool: SECRET } },
      querySatelliteDependencies: { body: { ...asking, service: SECRET, query_type: 'get_impact' } },
      createSatelliteToken: { body: { name: 'mine' } },
      revokeSatelliteToken: { params: { token_id: token.id } },
    },
    secrets: [token.id, OWNED_SATELLITE],
  };
};
