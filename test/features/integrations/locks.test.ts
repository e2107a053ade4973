/** While a vendor is asked for a token, an integration is locked, and its team is not. */
import assert from 'node:assert/strict';
import { randomBytes, randomUUID } from 'node:crypto';
import { composeRooms, openCore } from '../../../src/compose.ts';
import { forTeam } from '../../../src/db/team-filter.ts';
import { claimEffect, Effect } from '../../../src/features/effects/index.ts';
import { Integration } from '../../../src/features/integrations/entities.ts';
import { OAuthRefused } from '../../../src/features/integrations/oauth/client.ts';
import { freshTargets } from '../../../src/features/integrations/oauth/fresh.ts';
import { recordedLog, testConfig } from '../../http/support/api.ts';
import { startApiOverRows, type ApiOverRows } from '../../support/api-over-rows.ts';
import { createIntegration } from '../../support/integration-rows.ts';
import { waitUntil } from '../../support/wait-until.ts';

describe('changes while a token is renewed', () => {
  let api: ApiOverRows;
  let worker: ReturnType<typeof composeRooms>;
  let closing: AsyncDisposableStack;

  before(async () => {
    const env = {
      CASEBOOK_SECRET_KEY: randomBytes(32).toString('hex'),
      GOOGLE_CLIENT_ID: 'client',
      GOOGLE_CLIENT_SECRET: 'secret',
    };
    api = await startApiOverRows(env);
    const config = testConfig({ ...env, DATABASE_URL: api.database.url, TEMPORAL_ADDRESS: '127.0.0.1:1' });
    const core = await openCore(config, recordedLog('silent').log);
    closing = core.closing;
    worker = composeRooms(core);
  });
  after(async () => {
    await closing?.disposeAsync();
    await api?.stop();
  });
  beforeEach(async () => {
    await em().nativeDelete(Integration, {});
    await em().nativeDelete(Effect, {});
  });

  const em = () => forTeam(api.database.orm.em, api.teamId);
  const expiring = async (): Promise<Integration> => {
    const { vault } = worker.integrations;
    const manager = em();
    const row = createIntegration(manager, vault, {
      teamId: api.teamId,
      family: 'cloud-b',
      name: 'google-cloud',
      settings: { project_id: 'shop' },
      secrets: { client_id: 'client', access_token: 'old', refresh_token: 'r', expires_at: Date.now() },
    });
    await manager.flush();
    return row;
  };
  const waitsForLock = () =>
    waitUntil(
      async () => {
        const [found] = await em().execute<object[]>(
          `select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
        );
        return found;
      },
      { what: 'the change to wait', intervalMs: 20 },
    );

  const changes: Record<string, (row: Integration) => ReturnType<ApiOverRows['request']>> = {
    'turned off': ({ id }) => api.request('POST', `/api/integrations/${id}/toggle`, { enabled: false }),
    removed: () => api.request('DELETE', '/api/onboarding/cloud-b/'),
    'connected again': () => api.request('POST', '/api/onboarding/cloud-b/connect', {}),
  };
  for (const [what, change] of Object.entries(changes))
    it(`are made when it was refused, and nothing else waits: ${what}`, async () => {
      const row = await expiring();
      const asked = Promise.withResolvers<void>();
      const answered = Promise.withResolvers<void>();
      const { service, vault, opened } = worker.integrations;
      const { fresh } = freshTargets({
        ...service,
        vault,
        opened,
        async renew() {
          asked.resolve();
          await answered.promise;
          throw new OAuthRefused('The authorization server refused: invalid_grant.');
        },
      });
      const refused = assert.rejects(fresh(row), /Connect it again/u);
      await asked.promise;
      const changed = change(row);
      await waitsForLock();
      await claimEffect(em(), { teamId: api.teamId, kind: 'unrelated', key: `unrelated:${randomUUID()}` });
      answered.resolve();
      await refused;
      assert.equal((await changed).status, 200);
      const after = await em().findOne(Integration, { id: row.id });
      assert.equal(after?.status, what === 'removed' ? undefined : 'needs_reconnect');
    });
});
