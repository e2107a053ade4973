import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { citedNumbers, findExcerpts } from '../../../src/features/citations/index.ts';
import { createSourceCatalog } from '../../../src/features/sources/index.ts';
import type { SourceCatalog } from '../../../src/features/sources/port.ts';
import { errorOutput, sharedTools } from '../../../src/features/tools/index.ts';
import { startOfflineModel, type RunningServer } from '../../../packages/offline-model/index.ts';
import { createModelClient, type ModelClient } from '../../../src/platform/anthropic/index.ts';
import { ALERT_AT, catalogOf, memorySource, sampleIncident } from '../../support/telemetry-source.ts';
import { assertCited } from '../support/assert-cited.ts';
import { openChat, type ChatOptions } from '../support/run-chat.ts';

const DEMO = join(import.meta.dirname, '../../../demo');

/** What somebody would ask who has never seen the names of the recordings. */
const QUESTIONS: Record<string, string> = {
  'checkout-errors': 'Why is checkout failing?',
  'payments-failing': 'What is wrong with payments?',
  'orders-slow': 'Why are orders slow?',
  'product-pages-slow': 'Why are product pages slow?',
  'storefront-slow': 'Why is the storefront slow?',
  'checkout-degrading': 'Why does checkout get slow again and again?',
};

const truthOf = (incident: string): { service: string } =>
  JSON.parse(readFileSync(join(DEMO, 'truth', `${incident}.json`), 'utf8')).rootCause;
const causeIn = (text: string): string | undefined => /\*\*(?:Likely|Possible) root cause: (\S+) \(/.exec(text)?.[1];

describe('offline model: chats about a problem', () => {
  let server: RunningServer;
  let model: ModelClient;
  let demo: SourceCatalog;
  before(async () => {
    server = await startOfflineModel();
    model = createModelClient({ offlineBaseUrl: server.url });
    demo = createSourceCatalog({ incidentsDir: join(DEMO, 'incidents') });
  });
  after(() => server.stop());

  const ask = async (question: string, options: Partial<ChatOptions> = {}, more: object = {}) => {
    const chat = openChat(model, { sources: demo, ...options });
    return { chat, ...(await chat.ask(question, more)) };
  };

  it('has a question for every demo incident', () => {
    const incidents = readdirSync(join(DEMO, 'truth')).map((file) => file.replace('.json', ''));
    assert.deepEqual(Object.keys(QUESTIONS).sort(), incidents.sort());
  });

  for (const [incident, question] of Object.entries(QUESTIONS)) {
    it(`names the true cause of ${incident} among all recordings, with evidence for every figure`, async () => {
      const { text, chat, calls, narration, turns } = await ask(question);
      assert.equal(causeIn(text), truthOf(incident).service, text);
      assert.ok(
        calls.every(({ input }) => input['source'] === undefined || input['source'] === `incident:${incident}`),
      );
      assertCited(text, chat.evidence);
      for (const part of ['**Evidence**', '**Ruled out**', '**Confidence:**', '**Next step:**', '**Scope:**']) {
        assert.ok(text.includes(part), part);
      }
      assert.match(text, /offline model: a deterministic playbook/);
      assert.ok(text.indexOf('root cause') < 20, 'the cause comes first');
      assert.ok(text.length < 4_500, `${text.length} characters`);
      assert.ok(turns <= 9 && calls.every(({ isError }) => !isError));
      assert.ok(narration.every((line) => line !== '' && !line.includes('\n') && line.length < 300));
    });
  }

  it('is worded so that the matcher of citations finds what supports it', async () => {
    let cited = 0;
    const unsupported: string[] = [];
    for (const question of Object.values(QUESTIONS)) {
      const { text, chat } = await ask(question);
      for (const n of citedNumbers(text)) {
        const { content = '' } = chat.evidence.find(({ evidence }) => evidence === n) ?? {};
        cited += 1;
        if (findExcerpts({ content, citationId: n, text, most: 3 }).length === 0)
          unsupported.push(`${question} [${n}]`);
      }
    }
    assert.ok(cited > 30);
    assert.ok(unsupported.length <= cited / 20, unsupported.join('\n'));
  });

  it('is deterministic', async () => {
    const [first, second] = [await ask('Why is checkout failing?'), await ask('Why is checkout failing?')];
    assert.deepEqual(first.chat.messages, second.chat.messages);
  });

  it('takes the incident whose time is named, and says when it began', async () => {
    const { text, chat } = await ask('What happened around 10:40?');
    assert.equal(causeIn(text), 'redis-cart');
    assert.match(text, /metrics begin to deviate at 11:03:00, after the time you name/);
    assert.match(text, /\*\*Timeline\*\*/);
    assertCited(text, chat.evidence);
  });

  it('tells incidents with the same alert apart by the figures of a pasted one', async () => {
    const [first, second] = [
      await ask('CheckoutErrors: checkout: 56.7 % of requests fail, above 5 % for 2 minutes'),
      await ask('CheckoutErrors: checkout: 76.3 % of requests fail, above 5 % for 2 minutes'),
    ];
    assert.deepEqual([causeIn(first.text), causeIn(second.text)], ['payment', 'inventory']);
  });

  it('says what part the service has that was asked about, when another one is at fault', async () => {
    const { text, chat } = await ask('Why is cart slow in storefront-slow?');
    assert.equal(causeIn(text), 'redis-cart');
    assert.match(text, /cart itself is not at fault as far as I see: it depends on redis-cart/);
    assertCited(text, chat.evidence);
  });

  it('reads every line of a cause whose errors and warnings tell nothing', async () => {
    const { text } = await ask('Why are product pages slow?');
    assert.match(text, /sequential scan/);
    assert.match(text, /Seq Scan on product_attributes/);
    assert.match(
      text,
      /Nordic Outdoor.*may have changed what postgres-catalog has to do/,
      'the import is not acquitted',
    );
  });

  it('answers with what there is when it must, at any time', async () => {
    for (const concludeAt of [0, 1, 2, 3, 4]) {
      const { text, chat, turns } = await ask('Why is checkout failing?', {}, { concludeAt });
      assert.equal(turns, concludeAt + 1, `at ${concludeAt}`);
      assert.notEqual(text, '');
      assertCited(text, chat.evidence);
      if (concludeAt === 3) assert.match(text, /had to answer before everything was read/);
      assert.equal(causeIn(text), concludeAt < 3 ? undefined : 'inventory', text);
    }
  });

  it('never calls a tool that is not offered, and does without it', async () => {
    for (const missing of sharedTools.map(({ name }) => name)) {
      const tools = sharedTools.filter(({ name }) => name !== missing);
      const { text, chat, calls } = await ask('Why is checkout failing?', { tools });
      assert.ok(
        calls.every(({ tool, isError }) => tool !== missing && !isError),
        missing,
      );
      assertCited(text, chat.evidence);
      const needed = ['list_sources', 'rank_root_causes'].includes(missing);
      assert.equal(causeIn(text), needed ? undefined : 'inventory', missing);
    }
    const { text, calls } = await ask('Why is checkout failing?', { tools: [] });
    assert.deepEqual([calls.length, text.startsWith('I cannot say: this chat has no tool')], [0, true], text);
  });

  it('takes another route, or says so, when tools fail; never a third time', async () => {
    for (const broken of sharedTools.map(({ name }) => name)) {
      const intercept = (tool: string) => (tool === broken ? errorOutput(`${broken} is down.`) : undefined);
      const { text, chat, calls } = await ask('Why is checkout failing?', { intercept });
      const made = calls.map(({ tool, input }) => tool + JSON.stringify(input));
      assert.ok(
        made.every((call) => made.filter((other) => other === call).length <= 2),
        broken,
      );
      assertCited(text, chat.evidence);
      if (calls.some(({ tool }) => tool === broken)) assert.match(text, new RegExp(`${broken} is down`), broken);
    }
  });

  it('survives results that are not what they should be', async () => {
    for (const content of [
      '',
      '[]',
      'null',
      '{"sources":7}',
      '{"sources":[{"id":"a"}]}',
      '{"sources":[{"id":"a","capabilities":["services"],"alerts":[{}]}]',
      '\u0000\u0001',
    ]) {
      for (const odd of ['list_sources', 'rank_root_causes', 'search_logs', 'service_dependencies', 'recent_changes']) {
        const intercept = (tool: string) => (tool === odd ? { content, digest: 'odd' } : undefined);
        const { text } = await ask('Why is checkout failing?', { intercept });
        assert.notEqual(text, '', `${odd} ${content}`);
      }
    }
  });

  it('says so when nothing is disturbed, when there is no source, and when nobody knows what is meant', async () => {
    const timestamps = Array.from({ length: 150 }, (_, minute) => ALERT_AT - 7_200 + minute * 60);
    const quiet = memorySource({
      id: 'quiet',
      series: ['web', 'db'].map((service) => ({
        service,
        metric: 'latency_seconds',
        statistic: 'p95',
        timestamps,
        values: timestamps.map((_, index) => 1 + 0.02 * Math.sin(index)),
      })),
      edges: [{ caller: 'web', callee: 'db' }],
      description: {
        window: { from: ALERT_AT - 7_200, to: ALERT_AT + 1_800 },
        alerts: [{ name: 'WebSlow', service: 'web', metric: 'latency_seconds', at: ALERT_AT, summary: 'slow' }],
      },
    });
    const nothing = await ask('Why is web slow?', { sources: catalogOf(quiet) });
    assert.match(
      nothing.text,
      /^\*\*No root cause found:\*\* none of 2 series of 2 services shows a clear harmful change/,
    );
    assertCited(nothing.text, nothing.chat.evidence);
    const none = await ask('Why is web slow?', { sources: catalogOf() });
    assert.match(none.text, /no telemetry source is configured \[1\].*PROMETHEUS_URL/);
    const unknown = await ask('Why is the billing service failing?');
    assert.match(unknown.text, /nothing in the telemetry sources that your question is about/);
    assert.match(unknown.text, /“What caused CheckoutSlow in incident:checkout-degrading\?”/);
    assert.ok(!unknown.calls.some(({ tool }) => tool === 'rank_root_causes'));
    const open = await ask('What is wrong?');
    assert.match(open.text, /names no service, alert or time/);
    assertCited(open.text, open.chat.evidence);
  });

  it('asks a live source about now, and a recorded incident only when it is named', async () => {
    const live = memorySource({
      id: 'prometheus',
      series: [],
      edges: [],
      description: {
        kind: 'prometheus',
        title: 'Prometheus',
        alerts: [
          { name: 'WebSlow', service: 'web', metric: 'latency_seconds', at: ALERT_AT, summary: 'p95 above 1 s' },
        ],
      },
    });
    const { calls } = await ask('Why is web slow?', { sources: catalogOf(sampleIncident(), live) });
    assert.ok(calls.some(({ input }) => input['source'] === 'prometheus'));
    assert.ok(!calls.some(({ input }) => input['source'] === 'shop'));
    const past = await ask('Why was web slow in shop?', { sources: catalogOf(sampleIncident(), live) });
    assert.equal(causeIn(past.text), 'db');
  });
});
