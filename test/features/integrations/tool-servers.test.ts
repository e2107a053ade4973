/** Vendors' own tool servers: real child processes of a program that stands for the vendor's. */
import assert from 'node:assert/strict';
import { randomBytes, randomUUID } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { composeRooms, openCore } from '../../../src/compose.ts';
import { forTeam } from '../../../src/db/team-filter.ts';
import { Integration } from '../../../src/features/integrations/entities.ts';
import { createRegistryCache, type ToolOutput } from '../../../src/features/tools/index.ts';
import { recordedLog, testConfig } from '../../http/support/api.ts';
import { startApiOverRows, type ApiOverRows } from '../../support/api-over-rows.ts';
import { createIntegration } from '../../support/integration-rows.ts';
import { toolContext } from '../../support/tool-context.ts';
import { installToolServer, type Started } from '../../support/vendor-tool-server.ts';

const SECRET = 'the client secret of the team';
const TENANT = randomUUID();
const SUBSCRIPTION = randomUUID();

const failure = (message: string) => ({ error: { name: 'Error', message, stack: `at ${import.meta.filename}` } });

describe("vendors' tool servers", () => {
  let folder: string;
  let api: ApiOverRows;
  let env: Record<string, string>;
  const closing: AsyncDisposableStack[] = [];

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'casebook-tool-servers-'));
    await installToolServer(folder, '@azure/mcp', '2.0.5');
    await installToolServer(folder, '@google-cloud/observability-mcp', '0.2.3');
    env = {
      CASEBOOK_SECRET_KEY: randomBytes(32).toString('hex'),
      CASEBOOK_TOOL_SERVERS_DIR: folder,
    };
    api = await startApiOverRows(env);
  });
  after(async () => {
    await api?.stop();
    await rm(folder, { recursive: true, force: true });
  });
  afterEach(async () => {
    for (const stack of closing.splice(0)) await stack.disposeAsync();
    await api.database.orm.em.fork().execute('delete from integrations');
  });

  /** A worker's rooms on the same database. */
  const worker = async (more: Record<string, string> = {}) => {
    const config = testConfig({ ...env, DATABASE_URL: api.database.url, TEMPORAL_ADDRESS: '127.0.0.1:1', ...more });
    const { log, lines } = recordedLog();
    const core = await openCore(config, log);
    closing.push(core.closing);
    const house = composeRooms(core);
    const registryOf = createRegistryCache();
    const store = async (given: Omit<Parameters<typeof createIntegration>[2], 'teamId'>, teamId = api.teamId) => {
      const em = forTeam(core.orm.em, teamId);
      createIntegration(em, house.integrations.vault, { ...given, teamId });
      await em.flush();
    };
    const tools = async (teamId = api.teamId) => registryOf((await house.teamTools(teamId)).tools);
    const call = async (name: string, input: object, teamId = api.teamId): Promise<ToolOutput> =>
      (await tools(teamId)).invoke(name, input, { ...toolContext(), teamId, toolCallId: randomUUID() });
    const started = async (name: string, input: object, teamId?: string): Promise<Started> => {
      const { content, isError } = await call(name, input, teamId);
      assert.ok(!isError, String(content));
      return JSON.parse(String(content)) as Started;
    };
    const namesOf = async () => (await house.teamTools(api.teamId)).tools.map(({ name }) => name);
    return { store, tools, call, started, namesOf, lines };
  };
  const azure = {
    family: 'cloud-monitor-a',
    name: 'azure-monitor',
    settings: { tenant_id: TENANT, subscription_id: SUBSCRIPTION, client_id: randomUUID() },
    secrets: { client_secret: SECRET },
  } as const;
  const statusOf = async (family: string) => (await api.get(`/api/onboarding/${family}/status`)).body;

  it('give a run their reading tools, with the credentials and the subscription of the team', async () => {
    const { store, started, namesOf, tools } = await worker();
    await store(azure);
    assert.deepEqual(await namesOf(), [
      'azure_monitor_metrics_query',
      'azure_monitor_learn',
      'azure_monitor_exit',
      'azure_monitor_say',
    ]);
    const [tool] = (await tools()).definitions();
    assert.deepEqual(Object.keys(tool!.input_schema['properties'] ?? {}), ['resource']);
    const {
      input,
      arguments: line,
      environment,
      pid,
    } = await started('azure_monitor_metrics_query', {
      resource: 'vm',
      subscription: randomUUID(),
      'retry-mode': 'fixed',
    });
    assert.deepEqual(input, { resource: 'vm', tenant: TENANT, subscription: SUBSCRIPTION });
    assert.deepEqual((await started('azure_monitor_learn', {})).input, {}, 'a tool that takes no subscription');
    assert.ok(line.includes('--read-only') && !line.join(' ').includes(SECRET), line.join(' '));
    assert.equal(environment['AZURE_CLIENT_SECRET'], SECRET);
    assert.equal(environment['AZURE_TOKEN_CREDENTIALS'], 'EnvironmentCredential');
    const inherited = Object.keys(environment).filter((key) => process.env[key] === environment[key]);
    assert.deepEqual(
      inherited.filter(
        (key) => !['PATH', 'PWD', 'SHLVL', '_', 'LANG', 'USER', 'LOGNAME', 'SHELL', 'TERM'].includes(key),
      ),
      [],
    );
    const status = await statusOf('cloud-monitor-a');
    assert.equal(status.tool_server, 'vendor');
    assert.deepEqual(
      status.integration.tools.map(({ name, read_only }: { name: string; read_only: boolean }) => [name, read_only]),
      [
        ['metrics_query', true],
        ['learn', true],
        ['exit', true],
        ['say', true],
      ],
    );
    assert.ok(!JSON.stringify(status).includes(SECRET));
    assert.equal((await started('azure_monitor_metrics_query', { resource: 'vm' })).pid, pid, 'it goes on running');
  });

  it('are shared by the runs of one team, and never by two teams', async () => {
    const { store, started } = await worker();
    const other = randomUUID();
    await store(azure);
    await store({ ...azure, secrets: { client_secret: 'of the other team' } }, other);
    const name = 'azure_monitor_metrics_query';
    const all = await Promise.all([
      started(name, { resource: '1' }),
      started(name, { resource: '2' }),
      started(name, { resource: '3' }, other),
    ]);
    const [one, two, three] = all;
    assert.equal(one.pid, two.pid);
    assert.notEqual(one.pid, three.pid);
    assert.equal(three.environment['AZURE_CLIENT_SECRET'], 'of the other team');
    assert.notEqual(one.environment['HOME'], three.environment['HOME']);
  });

  it('start again after they have exited, and the call that was under way says so', async () => {
    const { store, call, started } = await worker();
    await store(azure);
    const { pid } = await started('azure_monitor_learn', {});
    const failed = await call('azure_monitor_exit', {});
    assert.equal(failed.isError, true);
    assert.equal(failed.answer, 'unavailable', String(failed.content));
    assert.notEqual((await started('azure_monitor_learn', {})).pid, pid);
  });

  it("get Google's credentials in a file of their home, whether a person's or a service account's", async () => {
    const { store, started } = await worker();
    const project_id = 'shop-prod';
    const tokens = { client_id: 'c', client_secret: 's', refresh_token: 'r', access_token: 'a' };
    const family = 'cloud-b-official';
    await store({ family, name: 'google-cloud-official', settings: { project_id }, secrets: tokens });
    const account = JSON.stringify({ type: 'service_account', client_email: 'reader@shop' });
    const secrets = { service_account: account };
    await store({ family, name: 'google-cloud-official-service-account', settings: { project_id }, secrets });
    const person = await started('google_cloud_official_metrics_query', { resource: 'x' });
    const { access_token: _, ...stored } = tokens;
    assert.deepEqual(person.credentials, { type: 'authorized_user', ...stored });
    assert.equal(person.environment['GOOGLE_CLOUD_PROJECT'], project_id);
    const robot = await started('google_cloud_official_service_account_change', {});
    assert.deepEqual(robot.credentials, JSON.parse(account));
    assert.equal((await statusOf(family)).tool_server, 'vendor');
  });

  it("say in the vendor's own way that there is nothing, or that the vendor did not answer", async () => {
    const { store, call } = await worker();
    await store(azure);
    const secrets = { service_account: '{}' };
    await store({ family: 'cloud-b-official', name: 'google-cloud-official', settings: {}, secrets });
    const says = async (vendor: string, answer: unknown) => {
      const text = typeof answer === 'string' ? answer : JSON.stringify(answer);
      const said = await call(`${vendor}_say`, { text });
      return [said.answer, said.isError === true, said.content];
    };
    const cases: [vendor: string, answer: unknown, means: string, shown?: string][] = [
      ['azure_monitor', { status: 200, results: { metrics: [{ name: 'cpu' }] } }, 'data'],
      ['azure_monitor', { status: 200, results: { metrics: [] } }, 'nothing'],
      ['azure_monitor', { status: 400, message: 'Missing --resource' }, 'refused'],
      ['azure_monitor', { status: 401, message: 'Authentication failed' }, 'unavailable'],
      ['azure_monitor', { status: 503, message: 'Try again' }, 'unavailable'],
      ['google_cloud_official', '[{"textPayload":"x"}]', 'data'],
      ['google_cloud_official', 'Invoked tool returned an empty result', 'nothing'],
      ['google_cloud_official', failure('Invalid filter: x'), 'refused', 'Invalid filter: x'],
      ['google_cloud_official', failure('invalid_grant'), 'unavailable', 'invalid_grant'],
    ];
    for (const [vendor, answer, means, shown = typeof answer === 'string' ? answer : JSON.stringify(answer)] of cases)
      assert.deepEqual(await says(vendor, answer), [means, ['refused', 'unavailable'].includes(means), shown]);
  });

  it('leave the work to our own tools where they are missing, do not start, or cannot reach the vendor', async () => {
    const isOurs = async (more: Record<string, string>) => {
      const one = await worker(more);
      const names = await one.namesOf();
      assert.ok(names.includes('azure_monitor_query_logs'), names.join());
      assert.ok(!names.includes('azure_monitor_metrics_query'), names.join());
      return one;
    };
    await (await worker()).store(azure);
    const empty = await mkdtemp(join(folder, 'empty-'));
    await isOurs({ CASEBOOK_TOOL_SERVERS_DIR: empty });
    await isOurs({ AZURE_RESOURCE_MANAGER_URL: 'https://azure.example.com' });
    await installToolServer(empty, '@azure/mcp', '2.0.4');
    await isOurs({ CASEBOOK_TOOL_SERVERS_DIR: empty });
    await installToolServer(empty, '@azure/mcp', '2.0.5');
    await writeFile(join(empty, 'node_modules/@azure/mcp/serve.mjs'), 'console.log("Hello!"); process.exit(1);');
    const { lines } = await isOurs({ CASEBOOK_TOOL_SERVERS_DIR: empty });
    assert.ok(lines.some(({ msg }) => msg === "a vendor's tool server does not start"));
    await forTeam(api.database.orm.em, api.teamId).nativeUpdate(Integration, {}, { via: 'near' });
    await isOurs({});
    assert.equal((await statusOf('cloud-monitor-a')).tool_server, 'built_in');
  });
});
