/** A keyless chat about a real PostgreSQL, through the connector that integrations and satellites share. */
import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { postgresql, type Connector } from '@casebook/connectors';
import { startOfflineModel, type RunningServer } from '../../../packages/offline-model/index.ts';
import { freePort } from '../../../src/embedded/free-port.ts';
import { startPostgres } from '../../../src/embedded/postgres.ts';
import { citedNumbers, findExcerpts } from '../../../src/features/citations/index.ts';
import { createModelClient, type ModelClient } from '../../../src/platform/anthropic/index.ts';
import { connectorOf } from '../../satellite/stores/support.ts';
import { catalogOf } from '../../support/telemetry-source.ts';
import { waitUntil } from '../../support/wait-until.ts';
import { assertCited } from '../support/assert-cited.ts';
import { openChat } from '../support/run-chat.ts';
import { realSystem, toolsWith } from '../support/systems.ts';

describe('offline model: a chat about a real PostgreSQL', () => {
  let postgres: Awaited<ReturnType<typeof startPostgres>>;
  let home: string;
  let admin: pg.Client;
  let connector: Connector;
  let server: RunningServer;
  let model: ModelClient;

  before(async () => {
    home = await mkdtemp(join(tmpdir(), 'casebook-chat-'));
    const settings = { fsync: 'off', shared_preload_libraries: 'pg_stat_statements' };
    postgres = await startPostgres({ home, port: await freePort(), settings });
    admin = new pg.Client({ connectionString: postgres.adminUrl });
    await admin.connect();
    await admin.query(`
      create extension pg_stat_statements;
      create table orders (id bigint primary key, customer text not null);
      create index orders_customer on orders (customer);
      insert into orders select n, 'c' || n from generate_series(1, 5000) n;
      analyze orders; select pg_stat_statements_reset()`);
    await admin.query(`select count(*),\n  pg_sleep(0.3) from orders where customer like '%1%'`);
    const url = new URL(postgres.adminUrl);
    connector = connectorOf(postgresql, { url: url.toString(), allow_powerful: true });
    server = await startOfflineModel();
    model = createModelClient({ offlineBaseUrl: server.url });
  });
  after(async () => {
    await server?.stop();
    await connector?.close();
    await admin?.end();
    await postgres?.stop();
    await rm(home, { recursive: true, force: true });
  });

  const ask = async (question: string): Promise<string> => {
    const tools = await toolsWith(realSystem('orders-db', connector));
    const chat = openChat(model, { sources: catalogOf(), tools });
    const { text } = await chat.ask(question);
    assertCited(text, chat.evidence);
    for (const n of citedNumbers(text)) {
      const { content } = chat.evidence[n - 1]!;
      // That there is nothing stands nowhere.
      if (/^- /m.test(text)) assert.notDeepEqual(findExcerpts({ content, citationId: n, text }), [], text);
    }
    return text;
  };

  it('names the statement that took the most time', async () => {
    const text = await ask('which queries are slow in orders-db?');
    const [first] = text.split('\n').filter((line) => line.startsWith('- '));
    assert.match(
      first!,
      /^- `select count\(\*\), pg_sleep\(\$1\) from orders where customer like \$2`: mean \d+ ms, 1 call,/,
    );
  });

  it('says who blocks whom, and that nobody does', async () => {
    assert.equal(await ask('what is blocking in orders-db?'), 'No session of orders-db waits for a lock [1].');
    const [holder, waiter] = await Promise.all(
      [1, 2].map(async () => {
        const client = new pg.Client({ connectionString: postgres.adminUrl });
        await client.connect();
        return client;
      }),
    );
    await holder!.query('begin');
    await holder!.query(`update orders set customer = 'x' where id = 1`);
    const waiting = waiter!.query(`update orders set customer = 'y' where id = 1`);
    try {
      const waits = `select 1 from pg_stat_activity where wait_event_type = 'Lock'`;
      await waitUntil(async () => ((await admin.query(waits)).rowCount === 1 ? true : undefined), {
        what: 'a session that waits',
        intervalMs: 10,
      });
      const text = await ask('what is blocking in orders-db?');
      assert.match(
        text,
        /waits for session \d+ .*the blocker is idle in transaction .*; it waits with `update orders set customer = 'y' where id = 1`; the blocker last ran `update orders set customer = 'x' where id = 1` \[1\]/,
      );
    } finally {
      await holder!.query('rollback');
      await waiting;
      await Promise.all([holder!.end(), waiter!.end()]);
    }
  });

  it('tells sizes, unused indexes, connections, replication and rows', async () => {
    assert.match(
      await ask('how big are the tables of orders-db?'),
      /public\.orders: total \d+ KiB, 5,000 estimated rows/,
    );
    assert.match(await ask('unused indexes in orders-db'), /orders_customer on public\.orders: \d+ KiB, `CREATE INDEX/);
    assert.match(await ask('how many connections does orders-db have?'), /in all\. At most \d+ are allowed \[1\]\.$/);
    assert.match(
      await ask('replication lag of orders-db'),
      /^orders-db is a primary \[1\]\.[\s\S]+has no replica \[1\]/,
    );
    assert.match(await ask('run SQL: select max(id) as newest from orders in orders-db'), /newest (?:`?5000`?) \[1\]/);
    assert.match(
      await ask('run SQL: select nothing from orders in orders-db'),
      /could not be read: `.*nothing.*` \[1\]/,
    );
  });
});
