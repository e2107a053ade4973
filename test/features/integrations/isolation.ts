import { creatorOf } from '../../../src/db/base.ts';
import { Integration, IntegrationAlerts } from '../../../src/features/integrations/entities.ts';
import { SECRET, type CreateIsolation } from '../../http/support/team-isolation.ts';

const postgresOf = (name: string) => ({ name, host: '10.0.0.1', database: 'd', username: 'u', password: 'p' });
const clickhouseOf = (name: string) => ({ name, url: 'https://10.0.0.1:8443' });

export const isolation: CreateIsolation = ({ em, teamId }) => {
  const make = (family: Integration['family'], slug: string, settings: object) =>
    em.create(Integration, {
      teamId,
      ...creatorOf(),
      family,
      name: `${SECRET} ${slug}`,
      slug,
      status: 'connected',
      statusSince: new Date(),
      settings: { ...settings },
      sealed: SECRET,
      found: { warnings: [SECRET], resources: [] },
      dueAt: new Date(Date.now() + 3_600_000),
    } as never);
  const database = { host: 'db.invalid', port: 5432, database: 'd', username: SECRET, ssl_mode: 'prefer' };
  const postgres = make('sql-db', 'owned-db', database);
  const clickhouse = make('analytics-db', 'owned-analytics', { url: 'https://ch.invalid:8443', username: SECRET });
  make('apm-a', 'new-relic', { region: 'us', account_id: 4711 });
  make('edge-a', 'cloudflare', {});
  make('cloud-monitor-a', 'azure-monitor', { tenant_id: SECRET, subscription_id: SECRET });
  make('cloud-b', 'google-cloud', { project_id: SECRET });
  make('cloud-b', 'google-cloud-service-account', { project_id: SECRET });
  make('cloud-b-official', 'google-cloud-official', { project_id: SECRET });
  make('cloud-b-official', 'google-cloud-official-service-account', { project_id: SECRET });
  em.create(IntegrationAlerts, { teamId, channel: { type: 'email', label: SECRET, sealed: SECRET } } as never);
  const mcp = make('mcp', 'owned-mcp', { url: 'https://mcp.invalid/mcp' });
  const ofMcp = { params: { integration_id: mcp.id } };
  const ofPostgres = { params: { integration_id: postgres.id } };
  const ofClickhouse = { params: { integration_id: clickhouse.id } };
  return {
    examples: {
      updatePostgresIntegration: { ...ofPostgres, body: { name: 'mine' } },
      deletePostgresIntegration: ofPostgres,
      testPostgresIntegration: ofPostgres,
      togglePostgresIntegration: { ...ofPostgres, body: { enabled: false } },
      updateClickHouseIntegration: { ...ofClickhouse, body: { name: 'mine' } },
      deleteClickHouseIntegration: ofClickhouse,
      testClickHouseIntegration: ofClickhouse,
      toggleClickHouseIntegration: { ...ofClickhouse, body: { enabled: false } },
      chooseNewRelicAccount: { body: { account_id: 4711 } },
      connectMcpServer: { body: { name: 'owned-mcp', url: 'http://10.0.0.1/mcp' } },
      finishMcpServer: { body: { code: 'x', state: SECRET } },
      updateMcpServer: { ...ofMcp, body: { name: 'mine' } },
      removeMcpServer: ofMcp,
      testMcpServer: ofMcp,
      toggleMcpServer: { ...ofMcp, body: { enabled: false } },
      testIntegration: ofPostgres,
      toggleIntegration: { ...ofPostgres, body: { enabled: false } },
      getIntegrationUsage: ofPostgres,
      setIntegrationAlerts: { body: { channel: null } },
      // The caller's own, under the owner's names: refused where the address is not public.
      createPostgresIntegration: { body: { ...postgresOf('owned-db') } },
      testPostgresConnection: { body: { ...postgresOf('owned-db') } },
      createClickHouseIntegration: { body: clickhouseOf('owned-analytics') },
      testClickHouseConnection: { body: clickhouseOf('owned-analytics') },
      // Vendors cannot be reached from a test: what is left out is refused before they are asked.
      connectNewRelic: { body: {} },
      connectCloudflare: { body: {} },
      connectAzureMonitor: { body: {} },
      connectGoogleCloud: { body: {} },
      finishGoogleCloud: { body: { code: 'x', state: SECRET } },
      connectGoogleCloudServiceAccount: { body: {} },
      connectGoogleCloudOfficial: { body: {} },
      finishGoogleCloudOfficial: { body: { code: 'x', state: SECRET } },
      connectGoogleCloudOfficialServiceAccount: { body: {} },
    },
    secrets: [mcp.id, postgres.id, clickhouse.id, 'owned-db', 'owned-analytics'],
    shownAt: ['integrations', 'onboarding/sql-db/status', 'onboarding/analytics-db/status', 'integrations/alerts'],
  };
};
