import { forTeam } from '../../db/team-filter.ts';
import type { McpTool } from '@casebook/wire';
import { createOutbound } from '../../platform/outbound/index.ts';
import { SecretError } from '../../platform/secrets.ts';
import type { Room, RoomCore } from '../../room.ts';
import { channelContext, type ChannelCapabilities, type Deliver } from '../notifications/index.ts';
import type { LoadSystems } from '../tools/index.ts';
import { addressesOf, configuration, type IntegrationSettings } from './configuration.ts';
import { openCodeHosts } from './code-host.ts';
import { createConnections, type OverSatellite } from './connections.ts';
import type { Integrations } from './deps.ts';
import { Integration, IntegrationAlerts } from './entities.ts';
import { checkDue } from './health.ts';
import { renew } from './oauth/client.ts';
import { freshTargets } from './oauth/fresh.ts';
import { authorizationOf } from './oauth/authorization.ts';
import { deliverRevocations } from './oauth/revocation.ts';
import { alerts } from './routes/alerts.ts';
import { any } from './routes/any.ts';
import { apmA } from './routes/apm-a.ts';
import { cloudB } from './routes/cloud-b.ts';
import { cloudMonitorA } from './routes/cloud-monitor-a.ts';
import { databases } from './routes/databases.ts';
import { edgeA } from './routes/edge-a.ts';
import { list } from './routes/list.ts';
import { mcp } from './routes/mcp.ts';
import { createServers } from './servers.ts';
import { targetOf, type IntegrationServiceDeps } from './service.ts';
import { deliverStatusChanges } from './status.ts';
import { integrationSystems, type LoadChanges } from './systems.ts';
import { hasToolServer } from './tool-servers/index.ts';
import { contextOf, createVault } from './vault.ts';

type Needs = RoomCore & {
  config: IntegrationSettings;
  overSatellite: OverSatellite;
  channels: ChannelCapabilities;
  deliver: Deliver;
};

const USED_EVERY_MS = 60_000;
const PROBE_MS = 20_000;

export const integrationsRoom = {
  name: 'integrations',
  endpoints: [list, ...any, ...alerts, ...apmA, ...databases, ...cloudMonitorA, ...cloudB, ...edgeA, ...mcp],
  entities: [Integration, IntegrationAlerts],
  sealed: [
    { table: 'integrations', column: 'sealed', context: contextOf },
    { table: 'integrations', column: 'pending', context: contextOf, isTransient: true },
    { table: 'effects', column: 'payload', member: 'sealed', context: contextOf, isTransient: true },
    {
      table: 'integration_alerts',
      column: 'channel',
      member: 'sealed',
      context: ({ teamId }: { teamId: string }) => channelContext(teamId),
    },
  ],
  scopes: {
    'integrations:read': { allows: 'See which systems are connected', forMembers: true },
    'integrations:write': { allows: 'Connect, change and remove systems' },
  },
  configuration,
  build(house: Needs) {
    const { config, orm, clock, log, secrets, appUrl, closing, channels, deliver } = house;
    const vault = createVault(secrets);
    const settings = config.integrations;
    const outbound = createOutbound({ allow: config.outboundAllow, log });
    const vendorOutbound = outbound.allowing(addressesOf(settings.vendors));
    const connections = createConnections({
      vendors: settings.vendors,
      outbound,
      vendorOutbound,
      overSatellite: house.overSatellite,
      log,
    });
    closing.defer(() => connections.close());
    const opened = (row: Integration) => targetOf(vault, row);
    const telling = { orm, clock, log, secrets, channels, deliver, appUrl };
    const outboundOf = ({ family }: Pick<Integration, 'family'>) => (family === 'mcp' ? outbound : vendorOutbound);
    const { fresh, renewed } = freshTargets({
      ...telling,
      vault,
      opened,
      renew(target) {
        const { server, client, parameters } = authorizationOf(settings, target);
        return renew(server, client, String(target.secrets['refresh_token']), parameters, outboundOf(target));
      },
    });
    const servers = createServers({ house: settings, outbound, log, renewed });
    closing.defer(() => servers.close());
    const service: IntegrationServiceDeps = {
      ...telling,
      vault,
      probe: async (target, signal) =>
        target.family === 'mcp'
          ? servers.test(target, AbortSignal.any([signal, AbortSignal.timeout(PROBE_MS)]))
          : { test: await connections.test(target, signal), tools: null },
      fresh,
    };
    const toolsOf = async (row: Integration): Promise<readonly McpTool[] | null> => {
      if (row.tools || !hasToolServer(row.family)) return row.tools ?? null;
      try {
        return await servers.vendorTools(opened(row));
      } catch (error) {
        if (error instanceof SecretError) return null;
        throw error;
      }
    };
    const loaders: LoadChanges[] = [];
    const otherChanges: LoadChanges = async (...asked) =>
      (await Promise.all(loaders.map((load) => load(...asked)))).flat();
    const integrations: Integrations = {
      service,
      vault,
      connections,
      servers,
      outbound,
      vendorOutbound,
      outboundOf,
      settings,
      appUrl,
      opened,
      codeHost: openCodeHosts({ connections, fresh }),
      revocations: { ...telling, house: settings, vault, opened, outboundOf },
      addChanges: (load) => void loaders.push(load),
      toolsOf,
    };
    const used = ({ id, teamId, lastUsedAt }: Integration): void => {
      const now = clock.now();
      if (lastUsedAt && now.getTime() - lastUsedAt.getTime() < USED_EVERY_MS) return;
      void forTeam(orm.em, teamId)
        .nativeUpdate(Integration, { id }, { lastUsedAt: now })
        .catch((error: unknown) => log.warn({ err: error }, 'the use of an integration was not noted'));
    };
    return {
      integrations,
      integrationSystems: integrationSystems({ orm, connections, servers, toolsOf, opened, fresh, used, otherChanges }),
    };
  },
  systems: ({ integrationSystems: load }: { integrationSystems: LoadSystems }) => load,
  sweeps: [
    ({ integrations }: { integrations: Integrations }, signal: AbortSignal) => checkDue(integrations.service, signal),
    ({ integrations }: { integrations: Integrations }) => deliverStatusChanges(integrations.service),
    ({ integrations }: { integrations: Integrations }) => deliverRevocations(integrations.revocations),
  ],
} satisfies Room;
