/** Investigations and questions about a cause that name a connected database. */
import assert from 'node:assert/strict';
import { QueryError } from '@casebook/connectors';
import { startOfflineModel, type RunningServer } from '../../packages/offline-model/index.ts';
import type { TelemetrySource } from '../../src/features/sources/port.ts';
import { createModelClient, type ModelClient } from '../../src/platform/anthropic/index.ts';
import { catalogOf, sampleIncident } from '../support/telemetry-source.ts';
import { liveShop } from './monitoring/shop.ts';
import { assertCited } from './support/assert-cited.ts';
import { analytics, LOCK, ordersDb } from './support/databases.ts';
import { openChat } from './support/run-chat.ts';
import { runInvestigation, type Run } from './support/run-investigation.ts';
import { toolsWith, type TestSystem } from './support/systems.ts';

const LONG = [{ ...LOCK, waiting_seconds: 245.2 }];
const READ = ['orders_db_locks', 'orders_db_slow_queries', 'orders_db_activity'];

describe('offline model: investigations that name a connected database', () => {
  let server: RunningServer;
  let model: ModelClient;
  before(async () => {
    server = await startOfflineModel();
    model = createModelClient({ offlineBaseUrl: server.url });
  });
  after(() => server.stop());

  const investigate = async (query: string, systems: TestSystem[], ...sources: TelemetrySource[]): Promise<Run> => {
    const run = await runInvestigation(model, {
      query,
      sources: catalogOf(...sources),
      tools: await toolsWith(...systems),
    });
    assert.deepEqual(run.checked?.unverifiedClaims, [], JSON.stringify(run.report));
    return run;
  };
  const read = ({ calls }: Run): string[] => calls.flatMap(({ tool }) => (tool.startsWith('orders_db') ? [tool] : []));

  it('say who blocks whom for minutes, with a modest confidence, without any telemetry source', async () => {
    const run = await investigate('orders-db is slow', [ordersDb({ locks: LONG }), analytics]);
    assert.deepEqual(read(run), READ);
    const { title, root_cause: cause, confidence, summary, recommended_change: change } = run.report!;
    assert.equal(title, 'orders-db: session 4700 blocks others');
    assert.equal(cause.service, 'orders-db');
    assert.match(
      cause.statement,
      /waited for a lock for 245 s \[1\]\. Session 4711 of user app waits for session 4700/,
    );
    assert.ok(confidence >= 0.5 && confidence < 0.7);
    assert.match(summary, /The statement that took the most time in total in orders-db \(PostgreSQL\): `select \*/);
    assert.match(change.summary, /session 4700 of orders-db/);
  });

  it('conclude nothing from a short wait, slow statements or silence', async () => {
    for (const locks of [[LOCK], []]) {
      const { report } = await investigate('orders-db is slow', [ordersDb({ locks })]);
      assert.equal(report?.root_cause.service, null);
      assert.ok(report.confidence <= 0.1);
      assert.match(report.summary, /orders-db/);
    }
    const idle = ordersDb({
      locks: [],
      slow_queries: [],
      activity: { connections: [{ user: 'app', state: 'idle', connections: 30 }], sessions: [] },
    });
    const { report: quiet } = await investigate('orders-db is slow', [idle]);
    assert.match(quiet!.summary, /Most connections of orders-db \(PostgreSQL\): 30 connections, idle, user app \[\d\]/);
    const away = new QueryError('failed', 'password authentication failed for user "reader"');
    const { report } = await investigate('orders-db is slow', [
      ordersDb({ locks: away, slow_queries: away, activity: away }),
    ]);
    assert.equal(report?.root_cause.service, null);
    assert.match(report.root_cause.statement, /^Root cause unknown: orders-db could not be read \[1\]/);
    assert.match(
      report.summary,
      /The locks of orders-db \(PostgreSQL\) could not be read: `.*failed for user "reader"`/,
    );
    assert.match(report.recommended_change.summary, /^Mend the connection to orders-db on the Integrations page/);
  });

  it('do not ask back what the question is about where telemetry does not know the name', async () => {
    const run = await investigate('ledger-db is slow', [ordersDb({ locks: LONG }, 'ledger-db')], ...liveShop());
    assert.equal(run.report?.root_cause.service, 'ledger-db');
    assert.match(run.report.summary, /^No telemetry source knows what the question names/);
  });

  it('still ask back about a time that no source covers', async () => {
    const query = 'Was orders-db slow at 2001-01-01T00:00:00Z?';
    const run = await investigate(query, [ordersDb({ locks: LONG })], sampleIncident());
    assert.equal(run.report?.root_cause.service, null);
    assert.match(run.report.title, /No connected source covers that time/);
  });

  it('mention what it shows beside the cause that telemetry shows', async () => {
    const [without, withDatabase] = [
      await investigate('WebSlow fired', [ordersDb()], sampleIncident()),
      await investigate('WebSlow fired, is it orders-db?', [ordersDb({ locks: LONG })], sampleIncident()),
    ];
    assert.deepEqual(read(without), []);
    assert.deepEqual(read(withDatabase), READ);
    assert.equal(withDatabase.report?.root_cause.service, without.report?.root_cause.service);
    assert.equal(withDatabase.report?.confidence, without.report?.confidence);
    assert.match(withDatabase.report!.summary, /The longest wait for a lock in orders-db \(PostgreSQL\): Session 4711/);
  });

  it('find the tools where there are many', async () => {
    const many = ['orders-db', 'billing-db', 'users-db', 'carts-db'].map((name) => ordersDb({ locks: LONG }, name));
    const run = await investigate('orders-db is slow', many);
    assert.equal(run.report?.root_cause.service, 'orders-db');
  });

  it('are not disturbed by databases that they do not name', async () => {
    const [without, withSystems] = [
      await investigate('WebSlow fired', [], sampleIncident()),
      await investigate('WebSlow fired', [ordersDb(), analytics], sampleIncident()),
    ];
    assert.deepEqual(withSystems.calls, without.calls);
    assert.deepEqual(withSystems.report, without.report);
  });

  describe('in a chat', () => {
    const ask = async (question: string, systems: TestSystem[], ...sources: TelemetrySource[]) => {
      const chat = openChat(model, { sources: catalogOf(...sources), tools: await toolsWith(...systems) });
      const { text } = await chat.ask(question);
      assertCited(text, chat.evidence);
      return text;
    };

    it('say what the database shows, and no more', async () => {
      const blocked = await ask('Why is orders-db slow?', [ordersDb({ locks: LONG })]);
      assert.match(
        blocked,
        /^\*\*Likely root cause: orders-db \(session 4700 blocks others\)\.\*\*.*one for 245 s \[2\]/,
      );
      const quiet = await ask('Why is ledger-db slow?', [ordersDb({ locks: [] }, 'ledger-db')], ...liveShop());
      assert.match(quiet, /^\*\*No root cause found\.\*\* ledger-db \(PostgreSQL\) shows this now:/);
      assert.match(quiet, /No session of ledger-db waits for a lock \[\d+\]\.\s+\*\*Slow queries of ledger-db/);
    });
  });
});
