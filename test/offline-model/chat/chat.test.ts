import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { startOfflineModel, type RunningServer } from '../../../packages/offline-model/index.ts';
import { createSourceCatalog } from '../../../src/features/sources/index.ts';
import type { SourceCatalog } from '../../../src/features/sources/port.ts';
import { errorOutput, sharedTools } from '../../../src/features/tools/index.ts';
import { createModelClient, type ModelClient } from '../../../src/platform/anthropic/index.ts';
import { catalogOf, sampleIncident } from '../../support/telemetry-source.ts';
import { assertCited } from '../support/assert-cited.ts';
import { liveShop, shopSources } from '../monitoring/shop.ts';
import { openChat, type Chat, type ChatOptions } from '../support/run-chat.ts';

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
const causeIn = (text: string): string | undefined =>
  /\*\*(?:Likely root cause:|No cause is established; the top candidate is) (\S+) \(/.exec(text)?.[1];

describe('offline model: chats', () => {
  let server: RunningServer;
  let model: ModelClient;
  let demo: SourceCatalog;
  before(async () => {
    server = await startOfflineModel();
    model = createModelClient({ offlineBaseUrl: server.url });
    demo = createSourceCatalog({ incidentsDir: join(DEMO, 'incidents') });
  });
  after(() => server.stop());

  const open = (options: Partial<ChatOptions> = {}): Chat => openChat(model, { sources: demo, ...options });

  it('has a question for every demo incident', () => {
    const incidents = readdirSync(join(DEMO, 'truth')).map((file) => file.replace('.json', ''));
    assert.deepEqual(Object.keys(QUESTIONS).sort(), incidents.sort());
  });

  for (const [incident, question] of Object.entries(QUESTIONS)) {
    it(`names the true cause of ${incident} among all recordings, with evidence for every figure`, async () => {
      const chat = open();
      const { text, calls } = await chat.ask(question);
      assert.equal(causeIn(text), truthOf(incident).service, text);
      const sources = new Set(calls.flatMap(({ input }) => (input['source'] === undefined ? [] : [input['source']])));
      assert.deepEqual([...sources], [`incident:${incident}`]);
      assertCited(text, chat.evidence);
      for (const part of ['**Confidence:**', '**Next step:**', 'The offline model wrote this']) {
        assert.ok(text.includes(part), part);
      }
      assert.ok(text.length < 4_500, `${text.length} characters`);
    });
  }

  describe('after “Why is checkout failing?”', () => {
    let chat: Chat;
    before(async () => {
      chat = open();
      await chat.ask('Why is checkout failing?');
    });

    const FOLLOW_UPS: [string, RegExp, tool?: string][] = [
      ['and what about the logs of payments?', /^\*\*Logs\*\* of payment in incident:checkout-errors/, 'search_logs'],
      ['search the logs for "HikariPool"', /HikariPool-1/, 'search_logs'],
      ['show me the changes', /\(chg-260310-05\)/, 'recent_changes'],
      ['which services depend on inventory?', /^\*\*inventory is used by\*\*[\s\S]+checkout/, 'service_dependencies'],
      ['what does shipping depend on?', /^\*\*shipping depends on\*\*[\s\S]+carrier-api/, 'service_dependencies'],
      ['show me the traces of shipping', /^\*\*shipping depends on\*\*/],
      ['what is the blast radius of redis-cart?', /^\*\*When redis-cart fails\*\*/, 'service_dependencies'],
      ['what is the p95 latency of postgres-orders?', /^\*\*latency \(p95\) of postgres-orders\*\*/, 'query_metric'],
      ['and its cpu?', /^\*\*cpu_utilization \(Average\) of postgres-orders\*\*/, 'query_metric'],
      ['which metrics does inventory have?', /^The metrics of inventory in incident:checkout-errors are /],
      ['list the services', /^The services of incident:checkout-errors are acquirer, /],
      ['which alerts are firing?', /CheckoutErrors of checkout at 2026-03-10/],
      ['which incidents are there?', /These are the telemetry sources:/],
      ['why?', /pool of `inventory` is full/],
      ['logs of billing', /^No service is called “billing” in incident:checkout-errors/],
      ['sing me a song', /^I did not understand that\./],
    ];
    for (const [question, answer, tool] of FOLLOW_UPS) {
      it(question, async () => {
        const { text, calls } = await chat.ask(question);
        assert.match(text, answer);
        assertCited(text, chat.evidence);
        if (tool !== undefined) assert.equal(calls.at(-1)?.tool, tool);
      });
    }
  });

  it('leaves an incident for another one that a question names', async () => {
    const chat = open();
    await chat.ask('Why is checkout failing?');
    assert.equal(causeIn((await chat.ask('Why is the storefront slow?')).text), truthOf('storefront-slow').service);
    const { text } = await chat.ask('show me the changes in incident:orders-slow');
    assert.match(text, /in incident:orders-slow/);
  });

  it('asks a live source about now, and a recorded incident only when it is named', async () => {
    const sources = shopSources();
    const now = await open({ sources }).ask('list the services');
    assert.match(String(now.calls.at(-1)?.input['source']), /^satellite:/);
    const then = await open({ sources: catalogOf(...liveShop(), sampleIncident()) }).ask('Why did WebSlow fire?');
    assert.equal(then.calls.at(-1)?.input['source'], 'shop', then.text);
  });

  it('answers with what there is when it must, at any time', async () => {
    for (const concludeAt of [0, 1, 2, 4]) {
      const chat = open();
      const { text } = await chat.ask('Why is checkout failing?', { concludeAt });
      assert.notEqual(text, '');
      assertCited(text, chat.evidence);
    }
  });

  it('says so when there is no source, when tools fail, and when it does not understand', async () => {
    const none = await open({ sources: catalogOf() }).ask('Why is checkout failing?');
    assert.match(none.text, /No telemetry source is configured/);
    const intercept: ChatOptions['intercept'] = (tool) =>
      tool === 'list_sources' ? errorOutput('The catalog is away.') : undefined;
    assert.match((await open({ intercept }).ask('Why is checkout failing?')).text, /`The catalog is away\.`/);
    const failing: ChatOptions['intercept'] = (tool) =>
      tool === 'rank_root_causes' ? errorOutput('Too much.') : undefined;
    const ranking = await open({ intercept: failing }).ask('Why is checkout failing?');
    assert.match(ranking.text, /No root cause found.*`Too much\.`/s);
    const unknown = await open().ask('Why is the frobnicator failing?');
    assert.match(unknown.text, /^The question names no service, alert or time that any source knows/);
    const vague = await open().ask('what is wrong?');
    assert.match(vague.text, /names no service[\s\S]+These are the telemetry sources/);
  });

  it('introduces itself without a call, and edits no files', async () => {
    const { text, calls } = await open({ tools: sharedTools }).ask('who are you?');
    assert.match(text, /Casebook's offline model[\s\S]+What you can ask:/);
    assert.deepEqual(calls, []);
    const system = 'You are Casebook, editing the files of the workspace.';
    assert.match((await open({ system }).ask('replace "a" with "b" in c.md')).text, /^Nothing changed/);
  });
});
