/** Where agents report and what they may take, over the API; that no secret is seen again, anywhere. */
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { forTeam } from '../../../src/db/team-filter.ts';
import { agentQuery, monitoringAgentWorkflowId } from '../../../src/features/monitoring-agents/contract.ts';
import { MonitoringAgent } from '../../../src/features/monitoring-agents/entities.ts';
import { Effect } from '../../../src/features/effects/index.ts';
import { waitUntil } from '../../support/wait-until.ts';
import { recordedLog } from '../../http/support/api.ts';
import { startHarness, type Harness } from '../../support/harness.ts';
import { shortInvestigation } from '../../support/scripts.ts';
import { startWebhookReceiver } from '../../support/webhook-receiver.ts';
import { startApi, type RunningApi } from '../../../src/bin/api.ts';
import { callerOf, ok, placesOf, type Answer, type Call } from './api.ts';
import { gaugeCheck, gaugeSource, startAgent, type DrivenAgent } from './support.ts';

const someSecret = (): string => randomBytes(24).toString('hex');

describe('configuration of monitoring agents over the API', () => {
  let harness: Harness;
  let api: RunningApi;
  const { log, lines } = recordedLog('trace');
  /** Everything that the API answered. */
  const answers: string[] = [];
  let call: Call;
  before(async () => {
    harness = await startHarness({
      script: shortInvestigation,
      sources: [gaugeSource().source],
      env: { CASEBOOK_OUTBOUND_ALLOW: '127.0.0.1' },
    });
    // The same installation, with a log that can be read.
    api = await startApi({ ...harness.api.deps.config, port: 0 }, log);
    await api.prepared;
    const plain = callerOf(`http://127.0.0.1:${api.port}`, harness.apiKey);
    call = async (...args): Promise<Answer> => {
      const answer = await plain(...args);
      answers.push(answer.text);
      return answer;
    };
  });
  after(async () => {
    await api?.stop();
    await harness?.stop();
  });

  const newAgent = (more?: Record<string, unknown>): Promise<DrivenAgent> => startAgent(harness, [gaugeCheck()], more);
  const configure = (agent: DrivenAgent, body: unknown) => call('PATCH', agent.at('/config'), body);
  const rowOf = async ({ id }: DrivenAgent) =>
    forTeam(harness.database.orm.em, (await ok(call('GET', '/api/team'))).id).findOneOrFail(MonitoringAgent, { id });

  it('begins with what is usual, and changes what is named only', async () => {
    const agent = await newAgent();
    const usual = { chat_id: agent.id, title: 'Orders', notification_channel: null, eviction_hours: 72 };
    assert.deepEqual(await ok(call('GET', agent.at('/config'))), { ...usual, model_budget_usd_per_day: 5 });
    const changed = await ok(configure(agent, { title: 'Queues', eviction_hours: 1, model_budget_usd_per_day: 0 }));
    assert.deepEqual(changed, { ...usual, title: 'Queues', eviction_hours: 1, model_budget_usd_per_day: 0 });
    assert.deepEqual(await ok(call('GET', agent.at('/config'))), changed);
    const channel = { type: 'slack', bot_token: `xoxb-${someSecret()}`, channel: '#ops' };
    await ok(configure(agent, { notification_channel: channel }));
    const kept = await ok(call('GET', agent.at('/config')));
    assert.deepEqual(kept, { ...changed, notification_channel: { type: 'slack', label: '#ops in Slack' } });
    assert.equal((await ok(configure(agent, { notification_channel: null }))).notification_channel, null);
    const { settings } = await waitUntil(
      async () => {
        const handle = harness.temporal.workflow.getHandle(monitoringAgentWorkflowId(agent.id));
        const state = await handle.query(agentQuery);
        return state.settings.revision === 4 ? state : undefined;
      },
      { what: 'the newest settings' },
    );
    assert.deepEqual(
      [settings.title, settings.config.evictionHours, settings.config.modelBudgetUsdPerDay],
      ['Queues', 1, 0],
    );
    assert.equal((await ok(call('GET', agent.at('')))).title, 'Queues');
  });

  it('says everything that is wrong with a change, and changes nothing', async () => {
    const agent = await newAgent();
    const places = async (body: unknown) => placesOf(await configure(agent, body)).toSorted();
    assert.deepEqual(await places({}), ['body']);
    for (const hours of [0, 8_761, 1.5, '24', null]) {
      assert.deepEqual(await places({ eviction_hours: hours }), ['body.eviction_hours'], String(hours));
    }
    assert.deepEqual(await places({ title: '', model_budget_usd_per_day: -1, surprise: 1 }), [
      'body.model_budget_usd_per_day',
      'body.surprise',
      'body.title',
    ]);
    assert.deepEqual(await places({ notification_channel: { type: 'pigeon' } }), ['body.notification_channel.type']);
    for (const [type, wrong, where] of [
      ['slack', { bot_token: 'xoxp-SECRET', channel: 'a b' }, ['bot_token', 'channel']],
      ['slack_webhook', { url: 'https://example.com/services/T/B/SECRET' }, ['url']],
      ['webhook', { url: 'ftp://example.com', secret: 'SECRET' }, ['secret', 'url']],
      ['webhook', { url: 'http://169.254.169.254/latest' }, ['url']],
      ['webhook', { url: 'https://10.0.0.7/hook' }, ['url']],
      ['webhook', { url: 'http://localhost:7233/' }, ['url']],
      ['webhook', { url: 'https://[::1]/hook' }, ['url']],
      ['email', { to: ['nobody'] }, ['to.0']],
      ['email', { to: ['ops@example.com'] }, ['type']],
    ] as const) {
      const answer = await configure(agent, { notification_channel: { type, ...wrong }, title: 'Never' });
      const found = placesOf(answer).toSorted();
      assert.deepEqual(
        found,
        where.map((name) => `body.notification_channel.${name}`),
        `${type} ${JSON.stringify(wrong)}: ${answer.text}`,
      );
      assert.ok(!answer.text.includes('SECRET'), answer.text);
    }
    assert.equal((await ok(call('GET', agent.at('/config')))).title, 'Orders');
  });

  it('tells of mail that it needs a server, and whose business that is', async () => {
    const agent = await newAgent();
    const answer = await configure(agent, { notification_channel: { type: 'email', to: ['ops@example.com'] } });
    assert.match(answer.text, /CASEBOOK_SMTP_URL/);
    const made = await call('POST', '/api/monitoring-chat', {
      message: 'Watch.',
      plan: { checks: [] },
      notification_channel: { type: 'email', to: ['ops@example.com'] },
    });
    assert.deepEqual(placesOf(made), ['body.notification_channel.type']);
  });

  it('shows the secret that it makes for a webhook once, which signs what is sent', async () => {
    const agent = await newAgent();
    const fixed = await startWebhookReceiver(`whsec_${randomBytes(24).toString('base64')}`);
    const set = await ok(configure(agent, { notification_channel: { type: 'webhook', url: `${fixed.url}/hook` } }));
    assert.match(set.webhook_secret, /^whsec_/);
    assert.deepEqual(set.notification_channel, { type: 'webhook', label: `webhook at ${new URL(fixed.url).host}` });
    answers.pop();
    const refused = await ok(call('POST', agent.at('/config/test')));
    assert.deepEqual([refused.delivered, refused.receipt], [false, null]);
    assert.match(refused.error, /401/);
    const port = Number(new URL(fixed.url).port);
    await fixed.stop();
    const unreachable = await ok(call('POST', agent.at('/config/test')));
    assert.equal(unreachable.delivered, false);
    assert.ok(unreachable.error.length > 10, unreachable.error);
    const receiver = await startWebhookReceiver(set.webhook_secret, port);
    try {
      const delivered = await ok(call('POST', agent.at('/config/test')));
      assert.deepEqual([delivered.delivered, delivered.error, typeof delivered.receipt], [true, null, 'string']);
      assert.equal(receiver.events.length, 1);
    } finally {
      await receiver.stop();
    }
    assert.equal((await ok(configure(agent, { title: 'Another' }))).webhook_secret, undefined);
    assert.equal((await ok(call('GET', agent.at('/config')))).webhook_secret, undefined);
    const rows = await forTeam(harness.database.orm.em, (await rowOf(agent)).teamId).find(Effect, {
      ownerId: agent.id,
    });
    assert.deepEqual(rows.map(({ status }) => status).toSorted(), ['done', 'failed', 'failed']);
    assert.equal((await ok(call('GET', agent.at('')))).notification_error, null, 'a test is no notification');
    await assertNowhere(agent, set.webhook_secret, set.webhook_secret.slice(6));
  });

  it('says that there is no channel to test', async () => {
    const agent = await newAgent();
    const { delivered, error } = await ok(call('POST', agent.at('/config/test')));
    assert.deepEqual([delivered, error], [false, 'The agent has no notification channel.']);
  });

  it('keeps what is secret of every kind of channel out of answers, logs, Temporal and the database', async () => {
    const agent = await newAgent();
    const [token, path, secret, inUrl] = [someSecret(), someSecret(), someSecret(), someSecret()];
    for (const channel of [
      { type: 'slack', bot_token: `xoxb-${token}`, channel: 'C0123456789' },
      { type: 'slack_webhook', url: `https://hooks.slack.com/services/T0/B0/${path}` },
      { type: 'webhook', url: `http://127.0.0.1:9/${inUrl}`, secret },
    ]) {
      const set = await ok(configure(agent, { notification_channel: channel }));
      assert.equal(set.notification_channel.type, channel.type);
      assert.equal(set.webhook_secret, undefined, 'what was given is not shown');
    }
    await ok(call('POST', agent.at('/config/test')));
    const made = await ok(
      call('POST', '/api/monitoring-chat', {
        message: 'Watch.',
        plan: { checks: [] },
        notification_channel: { type: 'webhook', url: `http://127.0.0.1:9/${inUrl}`, secret },
      }),
    );
    assert.equal(made.webhook_secret, undefined);
    for (const at of ['', '/config', '/plan', '/plan/versions', '/sessions', '/findings']) {
      await ok(call('GET', agent.at(at)));
    }
    await ok(call('GET', `/api/chat/${made.chat_id}`));
    await ok(call('GET', '/api/monitoring-chat/list'));
    await assertNowhere(agent, token, path, secret, inUrl);
  });

  /** Searches everything that was answered, logged and stored. */
  async function assertNowhere({ id }: DrivenAgent, ...secrets: string[]): Promise<void> {
    const { events } = await harness.temporal.workflow.getHandle(monitoringAgentWorkflowId(id)).fetchHistory();
    const payloads: string[] = [];
    const collect = (value: unknown): void => {
      if (value instanceof Uint8Array) payloads.push(Buffer.from(value).toString('utf8'));
      else if (typeof value === 'string') payloads.push(value);
      else if (typeof value === 'object' && value !== null) Object.values(value).forEach(collect);
    };
    collect(events);
    assert.ok(
      payloads.some((text) => text.includes('evictionHours')),
      'the settings are in the history',
    );
    const places: Record<string, string> = {
      'an answer': answers.join('\n'),
      'the log': JSON.stringify(lines),
      'the history': payloads.join('\n'),
      'the database': await databaseText(),
    };
    assert.ok(lines.length > 10, 'something was logged');
    for (const [place, text] of Object.entries(places)) {
      for (const secret of secrets) assert.ok(!text.includes(secret), `a secret is in ${place}`);
    }
  }

  /** Every row of every table, as text. */
  async function databaseText(): Promise<string> {
    const em = harness.database.orm.em.fork();
    const tables = await em.execute<{ name: string }[]>(
      `select quote_ident(table_name) as name from information_schema.tables where table_schema = 'public'`,
    );
    const texts: string[] = [];
    for (const { name } of tables) {
      const rows = await em.execute<{ text: string }[]>(`select t::text as text from ${name} t`);
      texts.push(...rows.map(({ text }) => text));
    }
    const all = texts.join('\n');
    assert.ok(all.includes('webhook at '), 'the channel is there');
    return all;
  }
});
