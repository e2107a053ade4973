import assert from 'node:assert/strict';
import { join } from 'node:path';
import { createSourceCatalog } from '../../../src/features/sources/index.ts';
import type { SourceCatalog } from '../../../src/features/sources/port.ts';
import { startOfflineModel, type RunningServer } from '../../../packages/offline-model/index.ts';
import { createModelClient, type ModelClient } from '../../../src/platform/anthropic/index.ts';
import { ALERT_AT, catalogOf, memorySource, sampleIncident } from '../../support/telemetry-source.ts';
import { assertCited } from '../support/assert-cited.ts';
import { openChat, type Answered, type Chat } from '../support/run-chat.ts';

const DEMO = join(import.meta.dirname, '../../../demo/incidents');
const SOURCE = 'incident:checkout-errors';

interface FollowUp {
  question: string;
  /** The calls it makes, as `tool service`; what was read before is not read again. */
  calls: string[];
  says: RegExp[];
}

/** One chat, in this order: each question may use what those before it read. */
const FOLLOW_UPS: FollowUp[] = [
  {
    question: 'and what about the logs of payments?',
    calls: ['search_logs payment', 'search_logs payment'],
    says: [/\*\*Logs of payment\*\*/, /declined by issuer/],
  },
  {
    question: 'and of inventory?',
    calls: ['search_logs inventory', 'search_logs inventory'],
    says: [/error, 33 times from 16:41:18 to \S+ \(it begins with the incident\): `java\.sql\.SQLTransient/],
  },
  {
    question: 'show me the changes',
    calls: ['recent_changes'],
    says: [
      /16:40:17 flag change of inventory: `flag stock-audit-inline: 25 % -> 100 %`.*shortly before the onset at 16:41:00/,
      /makes it a suspect, not the cause/,
    ],
  },
  {
    question: 'did anyone deploy something before 16:30?',
    calls: ['recent_changes'],
    says: [/16:29:55 deploy of payment/, /to 2026-03-10 16:30:00 UTC/],
  },
  {
    question: 'which services depend on inventory?',
    calls: ['service_dependencies inventory'],
    says: [/\*\*inventory is called\*\* directly by: catalog \(205 calls\/s\) and checkout/],
  },
  {
    question: 'what does checkout depend on?',
    calls: [],
    says: [
      /\*\*checkout calls\*\* directly: cart .*shipping/,
      /postgres-catalog, by way of checkout → cart → catalog → postgres-catalog/,
    ],
  },
  {
    question: 'what is the blast radius of redis-cart?',
    calls: ['service_dependencies redis-cart'],
    says: [/\*\*When redis-cart fails\*\*, these suffer first: cart/],
  },
  {
    question: 'what is the p95 latency of orders?',
    calls: ['list_services', 'search_metrics postgres-orders', 'query_metric postgres-orders'],
    says: [/I take “orders” to mean postgres-orders/, /Highest: 0\.0116 s at 17:10:30/, /within its usual spread/],
  },
  {
    question: 'and the error rate of checkout?',
    calls: ['search_metrics checkout'],
    says: [/`error_ratio` \(Average\) of checkout/, /Highest: 1 at 16:45:00/],
  },
  {
    question: 'What is the cpu and memory of fraud?',
    calls: ['search_metrics fraud', 'query_metric fraud', 'query_metric fraud'],
    says: [/`cpu_utilization` \(Average\) of fraud/, /`memory_working_set` \(Average\) of fraud/],
  },
  { question: 'list the services', calls: [], says: [/- inventory: `Stock levels and reservations/, /- web:/] },
  { question: 'which metrics does inventory have?', calls: ['search_metrics inventory'], says: [/db_pool_wait/] },
  {
    question: 'which alerts are firing?',
    calls: [],
    says: [/CheckoutErrors of checkout, 2026-03-10 at 16:43:40 UTC, in incident:checkout-errors/],
  },
  {
    question: 'which incidents are there?',
    calls: [],
    says: [/incident:storefront-slow: `The storefront is very slow/, /You can ask for example/],
  },
  {
    question: 'what should we do now?',
    calls: [],
    says: [/\*\*Next step:\*\* Roll back or correct the flag change chg-260310-05 of inventory/],
  },
  {
    question: 'how sure are you?',
    calls: [],
    says: [/\*\*Confidence:\*\* 76 %/, /postgres-inventory is disturbed too/],
  },
  { question: 'what did you rule out?', calls: [], says: [/Deploy of payment at 16:29:55/] },
  {
    question: 'when did it start?',
    calls: [],
    says: [/- 16:41:00 metrics begin to deviate/, /- 16:43:40 alert CheckoutErrors of checkout/],
  },
  {
    question: 'is it the payment deploy?',
    calls: ['search_logs payment', 'search_logs payment'],
    says: [/\*\*payment is probably not the cause\.\*\*/, /What I hold for the cause is still inventory/],
  },
  { question: 'could it be postgres-inventory?', calls: [], says: [/\*\*postgres-inventory cannot be excluded\.\*\*/] },
  { question: 'is inventory to blame?', calls: [], says: [/^Yes, as far as I see it is inventory/] },
  { question: 'what does [4] say?', calls: [], says: [/Evidence 4 is what rank_root_causes returned/] },
  { question: 'what does [444] say?', calls: ['read_tool_result'], says: [/I see no evidence 444/] },
  { question: 'why?', calls: [], says: [/\*\*Likely root cause: inventory/, /\*\*Evidence\*\*/] },
  {
    question: 'logs of billing',
    calls: [],
    says: [/I know no service called “billing”/, /The services of incident:checkout-errors are acquirer/],
  },
  {
    question: 'search the logs for "idle in transaction"',
    calls: ['search_logs'],
    says: [/postgres-inventory, info, 8 times/],
  },
  { question: 'thanks!', calls: [], says: [/welcome/] },
];

describe('offline model: follow-up questions', () => {
  let server: RunningServer;
  let model: ModelClient;
  let demo: SourceCatalog;
  before(async () => {
    server = await startOfflineModel();
    model = createModelClient({ offlineBaseUrl: server.url });
    demo = createSourceCatalog({ incidentsDir: DEMO });
  });
  after(() => server.stop());

  const brief = ({ calls }: Answered): string[] =>
    calls.map(({ tool, input }) => [tool, input['service']].filter(Boolean).join(' '));

  describe('after “Why is checkout failing?”', () => {
    let chat: Chat;
    before(async () => {
      chat = openChat(model, { sources: demo });
      await chat.ask('Why is checkout failing?');
    });

    for (const { question, calls, says } of FOLLOW_UPS) {
      it(question, async () => {
        const answered = await chat.ask(question);
        assert.deepEqual(brief(answered), calls, answered.text);
        for (const said of says) assert.match(answered.text, said);
        for (const { input } of answered.calls) if (input['source']) assert.equal(input['source'], SOURCE);
        assertCited(answered.text, chat.evidence);
      });
    }

    it('gave every call an id of its own', () => {
      const ids = chat.messages.flatMap(({ content }) =>
        typeof content === 'string' ? [] : content.flatMap((block) => (block.type === 'tool_use' ? [block.id] : [])),
      );
      assert.ok(ids.length > 30);
      assert.equal(new Set(ids).size, ids.length);
    });
  });

  it('answers the same question again from what was read', async () => {
    const chat = openChat(model, { sources: demo });
    const first = await chat.ask('Why is checkout failing?');
    const second = await chat.ask('Why is checkout failing?');
    assert.ok(first.calls.length > 10);
    assert.deepEqual(
      [second.calls, second.text],
      [[], first.text.replace('its title and alerts fit your question best', 'this chat is about it')],
    );
  });

  it('leaves an incident for another one only where the question is clearly about that', async () => {
    const chat = openChat(model, { sources: demo });
    await chat.ask('Why is checkout failing?');
    assert.match((await chat.ask('Why is checkout slow?')).text, /I looked at incident:checkout-errors/);
    const other = await chat.ask('Why are product pages slow?');
    assert.match(other.text, /Likely root cause: postgres-catalog/);
    assertCited(other.text, chat.evidence);
    const timed = await chat.ask('show me the logs of payment between 09:10 and 09:20');
    assert.match(timed.text, /incident:payments-failing, 09:10:00 to 09:20:00 UTC/);
    const named = await chat.ask('show me the changes in storefront-slow');
    assert.deepEqual(brief(named), ['recent_changes']);
    assert.match(named.text, /cron cart-insights enabled/);
  });

  it('goes on about the last answer, also where that was told from what had been read', async () => {
    const chat = openChat(model, { sources: demo });
    for (const question of ['Why is checkout failing?', 'What is wrong with payments?', 'Why are orders slow?']) {
      await chat.ask(question);
    }
    const again = await chat.ask('What is wrong with payments?');
    assert.deepEqual(again.calls, []);
    assert.match(again.text, /Likely root cause: payment/);
    assert.match((await chat.ask('how sure are you?')).text, /\*\*Confidence:\*\* 74 %/);
    assert.match((await chat.ask('show me its logs')).text, /\*\*Logs of payment\*\* in incident:payments-failing/);
    assert.match(
      (await chat.ask('why is it failing?')).text,
      /Likely root cause: payment[\s\S]*incident:payments-failing/,
    );
  });

  it('reads a live system again when time has passed, and a recording never', async () => {
    const live = { ...sampleIncident(), id: 'live', kind: 'prometheus' as const };
    const describe = live.describe;
    live.describe = async (options) => ({ ...(await describe(options)), id: 'live', kind: 'prometheus' });
    const sources = catalogOf(live);
    const chat = openChat(model, { sources });
    const at = (minute: number) => ({
      now: new Date(Date.parse('2026-03-01T12:30:00Z') + minute * 60_000).toISOString(),
    });
    const question = 'show me the logs of db';
    const counts: number[] = [];
    for (const minute of [0, 2, 30]) counts.push((await chat.ask(question, at(minute))).calls.length);
    assert.deepEqual(
      counts.map((count) => count > 1),
      [true, false, true],
      String(counts),
    );
    const recorded = openChat(model, { sources: catalogOf(sampleIncident()) });
    await recorded.ask(question, at(0));
    assert.equal((await recorded.ask(question, at(600))).calls.length, 0);
  });

  it('asks each live source for what it has', async () => {
    const metrics = { ...sampleIncident(), id: 'prometheus', kind: 'prometheus' as const };
    const { describe, searchLogs: _logs, changes: _changes, ...rest } = metrics;
    const capabilities = rest.capabilities.filter((one) => one !== 'logs' && one !== 'changes');
    const kind = 'prometheus' as const;
    const prometheus = {
      ...rest,
      capabilities,
      describe: async (options: Parameters<typeof describe>[0]) => ({
        ...(await describe(options)),
        id: 'prometheus',
        kind,
        capabilities,
        window: undefined,
        alerts: [],
      }),
    };
    const line = { service: 'db', level: 'error', message: 'pool exhausted' };
    const lines = Array.from({ length: 20 }, (_, index) => ({ ...line, at: ALERT_AT + index * 60 }));
    const loki = memorySource({ id: 'loki', lines, description: { kind: 'loki' } });
    const chat = openChat(model, { sources: catalogOf(sampleIncident(), loki, prometheus) });
    const now = { now: new Date((ALERT_AT + 1_800) * 1_000).toISOString() };
    const sourcesOf = ({ calls }: Answered) => {
      const asked = calls.flatMap(({ tool, input: { source } }) =>
        typeof source === 'string' ? [`${tool} ${source}`] : [],
      );
      return [...new Set(asked)].sort();
    };
    const cause = await chat.ask('Why is web slow?', now);
    assert.match(cause.text, /Likely root cause: db/);
    assert.ok(
      sourcesOf(cause).includes('search_logs loki') && sourcesOf(cause).includes('rank_root_causes prometheus'),
    );
    assert.deepEqual(sourcesOf(await chat.ask('show me its logs of the last 5 minutes', now)), ['search_logs loki']);
    assert.deepEqual(sourcesOf(await chat.ask('what is the latency of checkout?', now)), [
      'query_metric prometheus',
      'search_metrics prometheus',
    ]);
    const changes = await chat.ask('what changed?', now);
    assert.deepEqual([changes.calls, /prometheus has no recent changes/.test(changes.text)], [[], true]);
  });

  it('looks things up without a question before it', async () => {
    const asked = async (question: string) => {
      const chat = openChat(model, { sources: demo });
      const answered = await chat.ask(question);
      assertCited(answered.text, chat.evidence);
      return answered;
    };
    const logs = await asked('Show me the logs of redis-cart in storefront-slow');
    assert.match(logs.text, /`slowlog id=5120/);
    assert.deepEqual(brief(logs).slice(-2), ['search_logs redis-cart', 'search_logs redis-cart']);
    const between = await asked('logs of payment between 09:10 and 09:20');
    assert.match(between.text, /incident:payments-failing, 09:10:00 to 09:20:00 UTC/);
    const both = await asked('show me logs and changes of payment in payments-failing');
    assert.match(both.text, /\*\*Logs of payment\*\*[\s\S]*\*\*Changes of payment\*\*/);
    assert.match((await asked('Any problems right now?')).text, /^These alerts fired/);
  });

  it('introduces itself without a call, and knows what it may do', async () => {
    for (const question of ['Hello', 'who are you?', 'help', 'What can you do?', 'hi there!']) {
      const { text, calls } = await openChat(model, { sources: demo }).ask(question);
      assert.deepEqual(calls, [], question);
      assert.match(text, /offline model.*ANTHROPIC_API_KEY/s, question);
    }
  });
});
