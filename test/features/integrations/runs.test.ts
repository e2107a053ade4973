/** Runs that use an integration: what they say when it breaks, and where its secret does not go. */
import assert from 'node:assert/strict';
import { anyTeam, forTeam } from '../../../src/db/team-filter.ts';
import { Integration } from '../../../src/features/integrations/entities.ts';
import { createIntegration } from '../../support/integration-rows.ts';
import { startHarness, type Harness } from '../../support/harness.ts';
import type { ScriptedStep } from '../../support/scripted-model/index.ts';
import { recordedLog } from '../../http/support/api.ts';
import { startOwnPostgres, type OwnPostgres } from '../../support/own-postgres.ts';
import { submitReport } from '../../support/scripts.ts';
import { sampleIncident } from '../../support/telemetry-source.ts';
import { waitUntil } from '../../support/wait-until.ts';

const PATH = '/api/onboarding/sql-db';
const ROLE = 'orders_reader';
const PASSWORD = 'the-password-of-orders-4711';

describe('runs over a connected database', () => {
  const logged = recordedLog('trace');
  let harness: Harness;
  let postgres: OwnPostgres;
  const turns: ScriptedStep[] = [
    {
      toolUses: [
        { name: 'list_services', input: { source: 'shop' } },
        { name: 'orders_db_query', input: { sql: 'select current_user as who' } },
      ],
    },
    submitReport,
  ];
  const chat: ScriptedStep[] = [{ toolUses: turns[0]!.toolUses!.slice(1) }, { text: 'That is what it says.' }];

  before(async () => {
    harness = await startHarness({
      script: ({ turn, request }) =>
        (request.tools?.some(({ name }) => name === 'submit_report') ? turns : chat)[turn] ?? {},
      sources: [sampleIncident()],
      log: logged.log,
      env: { CASEBOOK_OUTBOUND_ALLOW: '127.0.0.1' },
    });
    postgres = await startOwnPostgres(`create role ${ROLE} login password '${PASSWORD}'`);
    const { status, body } = await harness.request('POST', `${PATH}/integrations`, {
      name: 'orders-db',
      ...postgres.settings,
      username: ROLE,
      password: PASSWORD,
    });
    assert.equal(status, 200, JSON.stringify(body));
  });
  after(async () => {
    await harness?.stop();
    await postgres?.stop();
  });

  const ask = () =>
    harness.request(
      'POST',
      '/api/v1/chat',
      { messages: [{ role: 'user', content: 'Who am I there?' }] },
      { authorization: `Bearer ${harness.apiKey}` },
    );
  const rowsOf = async (table: string) =>
    JSON.stringify(await harness.database.orm.em.fork().execute(`select * from ${table}`));

  it('show its secret nowhere: not in results, events, logs, workflow histories, or what the model is sent', async () => {
    const { status, body } = await ask();
    assert.equal(status, 200, JSON.stringify(body));
    const results = await rowsOf('tool_calls');
    assert.ok(results.includes(ROLE), 'the database was asked as that user');
    const histories = await waitUntil(
      async () => {
        const found: string[] = [];
        const query = `TaskQueue = '${harness.taskQueue}'`;
        for await (const { workflowId } of harness.temporal.workflow.list({ query }))
          found.push(JSON.stringify(await harness.temporal.workflow.getHandle(workflowId).fetchHistory()));
        return found.length > 0 ? found : undefined;
      },
      { what: 'the list of workflows' },
    );
    const sent = JSON.stringify(harness.model.requests.map((request) => request.body));
    const listed = JSON.stringify((await harness.request('GET', '/api/integrations')).body);
    const logs = JSON.stringify(logged.lines);
    assert.ok(logs.includes('/api/onboarding/sql-db/integrations'), 'the request that brought the password is logged');
    const kept = [await rowsOf('events'), await rowsOf('model_turns'), await rowsOf('integrations')];
    for (const text of [results, sent, listed, logs, ...histories, ...kept])
      for (const secret of [PASSWORD, Buffer.from(PASSWORD).toString('base64').replaceAll('=', '')])
        assert.ok(!text.includes(secret));
    const used = await waitUntil(
      async () => {
        const { body } = await harness.request('GET', '/api/integrations');
        const { integrations } = body as { integrations: { last_used_at: string | null; connected_by: string }[] };
        return integrations[0]!.last_used_at ?? undefined;
      },
      { what: 'the time of its last use' },
    );
    assert.ok(Math.abs(Date.now() - Date.parse(used)) < 600_000, used);
  });

  it('are listed as its users, with the monitoring agents whose plan names it', async () => {
    const agent = await harness.request('POST', '/api/monitoring-chat', {
      message: 'Watch.',
      title: 'Watches orders',
      plan: {
        summary: 'Orders',
        checks: [
          {
            id: 'rows',
            title: 'Rows',
            schedule: { every_seconds: 3_600 },
            check: {
              type: 'mcp_tool',
              tool: 'orders_db_query',
              arguments: { sql: 'select 1' },
              condition: { type: 'contains', text: '2' },
            },
          },
          {
            id: 'tickets',
            title: 'Tickets',
            schedule: { every_seconds: 3_600 },
            check: {
              type: 'mcp_tool',
              tool: 'tickets_list_open_tickets',
              arguments: {},
              condition: { type: 'contains', text: '2' },
            },
          },
        ],
      },
    });
    assert.equal(agent.status, 200, JSON.stringify(agent.body));
    const { em } = harness.database.orm;
    const database = await em.fork().findOneOrFail(Integration, { slug: 'orders-db' }, anyTeam);
    const { teamId } = database;
    const tickets = createIntegration(
      forTeam(em, teamId),
      { seal: () => 'v1.00000000.AAAA' },
      { teamId, family: 'mcp', name: 'tickets', settings: { url: 'http://127.0.0.1:1/mcp' }, secrets: {} },
    );
    tickets.tools = [{ server: 'tickets', name: 'listOpenTickets', description: '', inputSchema: {}, readOnly: true }];
    await forTeam(em, teamId).persist(tickets).flush();
    const usage = async ({ id }: { id: string }, ...scopes: string[]) => {
      const made = await harness.request('POST', '/api/api-keys', { name: scopes.join(), scopes });
      const { api_key } = made.body as { api_key: string };
      const headers = { 'x-api-key': api_key };
      const { body } = await harness.request('GET', `/api/integrations/${id}/usage`, undefined, headers);
      const { runs, monitoring_agents: agents } = body as {
        runs: { kind: string }[];
        monitoring_agents: { title: string }[];
      };
      return [runs.map(({ kind }) => kind), agents.map(({ title }) => title)];
    };
    const read = 'integrations:read';
    assert.deepEqual(await usage(database, 'team:admin'), [['chat'], ['Watches orders']]);
    assert.deepEqual(await usage(tickets, read, 'monitoring:read'), [[], ['Watches orders']]);
    assert.deepEqual(await usage(database, read, 'chats:read'), [['chat'], []]);
    assert.deepEqual(await usage(database, read, 'monitoring:read'), [[], ['Watches orders']]);
    assert.deepEqual(await usage(database, read, 'investigations:read'), [[], []]);
    await em.fork().nativeDelete(Integration, { id: tickets.id }, anyTeam);
  });

  it('say in the report and in the failure of a chat which system did not answer, and why', async () => {
    await postgres.stop();
    const { alert_summary, investigation_text: text } = await harness.untilEnded(await harness.investigate('Slow?'));
    assert.ok(alert_summary);
    assert.match(text, /^- Source `shop`: 1 of 1 queries returned data$/m);
    assert.match(text, /^- Source `integration:orders-db`: no response: orders-db: .*ECONNREFUSED.*$/m);
    const { status, body } = await ask();
    assert.equal(status, 502);
    assert.match(
      (body as { detail: string }).detail,
      /^No telemetry source answered: integration:orders-db \(orders-db: .*ECONNREFUSED/,
    );
  });
});
