/** Two teams that have connected the same things under the same names: each gets its own, everywhere. */
import assert from 'node:assert/strict';
import { randomBytes, randomUUID } from 'node:crypto';
import { composeRooms, openCore } from '../../../src/compose.ts';
import { createToolRegistry, type ToolOutput } from '../../../src/features/tools/index.ts';
import { systemClock } from '../../../src/platform/clock.ts';
import { recordedLog, testConfig } from '../../http/support/api.ts';
import { startApiOverRows, type ApiOverRows } from '../../support/api-over-rows.ts';
import { startGoogleCloudServer, type GoogleCloudServer } from '../../support/google-cloud-server.ts';
import { startOwnPostgres, type OwnPostgres } from '../../support/own-postgres.ts';
import { toolContext } from '../../support/tool-context.ts';

interface Team {
  id: string;
  key: string;
  role: string;
}

describe('the integrations of two teams', () => {
  let google: GoogleCloudServer;
  let postgres: OwnPostgres;
  let api: ApiOverRows;
  let house: ReturnType<typeof composeRooms>;
  let closing: AsyncDisposableStack;
  let teams: [Team, Team];

  before(async () => {
    postgres = await startOwnPostgres(
      `create role first_reader login password 'one'; create role second_reader login password 'two'`,
    );
    google = await startGoogleCloudServer();
    const env = {
      CASEBOOK_SECRET_KEY: randomBytes(32).toString('hex'),
      CASEBOOK_OUTBOUND_ALLOW: '127.0.0.1',
      CASEBOOK_APP_URL: 'http://127.0.0.1:3000',
      GOOGLE_OAUTH_URL: google.oauthUrl,
      GOOGLE_API_URL: google.apiUrl,
      GOOGLE_CLIENT_ID: google.oauth.client.clientId,
      GOOGLE_CLIENT_SECRET: google.oauth.client.clientSecret,
    };
    google.oauth.client.redirectUris.push('http://127.0.0.1:3000/integrations/callback');
    api = await startApiOverRows(env);
    const body = { name: 'Second', admin_email: 'ada@example.org', admin_name: 'Ada' };
    const { body: made } = await api.request('POST', '/api/teams', body);
    teams = [
      { id: api.teamId, key: api.apiKey, role: 'first_reader' },
      { id: made.team.id, key: made.api_key.api_key, role: 'second_reader' },
    ];
    const passwords = { first_reader: 'one', second_reader: 'two' } as Record<string, string>;
    for (const { key, role } of teams) {
      const wanted = { name: 'orders-db', ...postgres.settings, username: role, password: passwords[role] };
      const { status, body: one } = await api.request('POST', '/api/onboarding/sql-db/integrations', wanted, key);
      assert.equal(status, 200, JSON.stringify(one));
    }
    const config = testConfig({ ...env, DATABASE_URL: api.database.url, TEMPORAL_ADDRESS: '127.0.0.1:1' });
    const core = await openCore(config, recordedLog('silent').log);
    closing = core.closing;
    house = composeRooms(core);
  });
  after(async () => {
    await closing?.disposeAsync();
    await api?.stop();
    await google?.stop();
    await postgres?.stop();
  });

  const registryOf = async ({ id }: Team) => createToolRegistry((await house.teamTools(id)).tools);
  const whoami = async (registry: ReturnType<typeof createToolRegistry>, { id }: Team): Promise<ToolOutput> =>
    registry.invoke(
      'orders_db_query',
      { sql: 'select current_user' },
      { ...toolContext(), teamId: id, toolCallId: randomUUID() },
    );

  it('are asked each with the credential of its own team, also at the same time and over kept connections', async () => {
    const [first, second] = await Promise.all(teams.map(registryOf));
    for (let round = 0; round < 3; round++) {
      const [one, two] = await Promise.all([whoami(first!, teams[0]), whoami(second!, teams[1])]);
      assert.match(String(one.content), /first_reader/);
      assert.match(String(two.content), /second_reader/);
      assert.deepEqual([one.source, two.source], ['integration:orders-db', 'integration:orders-db']);
    }
  });

  it('are tools and sources of their own team alone, whatever else a team connects', async () => {
    const { key } = teams[1];
    const wanted = { name: 'only-second', ...postgres.settings, username: 'second_reader', password: 'two' };
    const { body } = await api.request('POST', '/api/onboarding/sql-db/integrations', wanted, key);
    const namesOf = async ({ id }: Team) => (await house.teamTools(id)).tools.map(({ name }) => name);
    const sourcesOf = async ({ id }: Team) => {
      const catalog = await house.sources({ teamId: id, toolCallId: randomUUID(), clock: systemClock });
      return catalog.list().map((source) => source.id);
    };
    assert.deepEqual(await sourcesOf(teams[0]), ['integration:orders-db']);
    assert.deepEqual((await sourcesOf(teams[1])).toSorted(), ['integration:only-second', 'integration:orders-db']);
    assert.ok(!(await namesOf(teams[0])).some((name) => name.startsWith('only_second')));
    assert.ok((await namesOf(teams[1])).includes('only_second_query'));
    const path = `/api/onboarding/sql-db/integrations/${body.id}`;
    for (const [method, at, sent] of [
      ['PUT', path, { name: 'mine' }],
      ['POST', `${path}/test`, undefined],
      ['POST', `${path}/toggle`, { enabled: false }],
      ['DELETE', path, undefined],
    ] as const)
      assert.equal((await api.request(method, at, sent, teams[0].key)).status, 404, `${method} ${at}`);
  });

  it('refuse a call that another team makes with tools that it should not have', async () => {
    const registry = await registryOf(teams[0]);
    const { content, isError, answer } = await whoami(registry, teams[1]);
    assert.deepEqual([isError, answer], [true, undefined]);
    assert.deepEqual(JSON.parse(String(content)), { error: 'Integration not found.' });
  });

  it('take no consent that was given for another team', async () => {
    const prefix = '/api/onboarding/cloud-b';
    const begun = await api.request('POST', `${prefix}/connect`, { project_id: google.project }, teams[0].key);
    const response = await fetch(begun.body.authorization_url, { redirect: 'manual' });
    const { searchParams } = new URL(response.headers.get('location') ?? 'http://none');
    const back = { code: searchParams.get('code'), state: searchParams.get('state') };
    const stolen = await api.request('POST', `${prefix}/callback`, back, teams[1].key);
    assert.deepEqual([stolen.status, stolen.body.detail[0].loc], [422, ['body', 'state']]);
    assert.equal((await api.get(`${prefix}/status`, teams[1].key)).body.connected, false);
    const own = await api.request('POST', `${prefix}/callback`, back, teams[0].key);
    assert.deepEqual([own.status, own.body.status], [200, 'connected'], 'the attempt of the other used nothing up');
  });
});
