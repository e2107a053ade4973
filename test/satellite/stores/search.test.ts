import assert from 'node:assert/strict';
import { freePort } from '../../../src/embedded/free-port.ts';
import { elasticsearch, opensearch, type Connector } from '@casebook/connectors';
import { waitUntil } from '../../support/wait-until.ts';
import { startSearchServer, type TestSearchServer } from './search-server.ts';
import { ask, connectorOf, refused } from './support.ts';

const START = Date.UTC(2026, 0, 1) / 1000;
const documents = Array.from({ length: 1200 }, (_, n) => ({
  '@timestamp': new Date((START + n) * 1000).toISOString(),
  level: n % 3 === 0 ? 'error' : 'info',
  message: `order ${n} of cart`,
}));

for (const vendor of ['elasticsearch', 'opensearch'] as const) {
  describe(`satellite connector: ${vendor}`, () => {
    let server: TestSearchServer;
    let connector: Connector;
    const made: Connector[] = [];
    const connect = (more: object): Connector => {
      const config = { url: server.url, username: 'reader', password: 'secret', ...more };
      const one = vendor === 'elasticsearch' ? connectorOf(elasticsearch, config) : connectorOf(opensearch, config);
      made.push(one);
      return one;
    };

    before(async () => {
      server = await startSearchServer(vendor, documents);
      connector = connect({});
    });
    after(async () => {
      await Promise.all(made.map((one) => one.close()));
      await server.stop();
    });

    it('searches with query, words and times together, the newest first', async () => {
      const found = await ask(connector, 'search', {
        index: 'logs-*',
        query: { term: { level: 'error' } },
        query_string: 'cart',
        from_time: START + 10,
        to_time: START + 20,
        size: 2,
        aggregations: { levels: { terms: { field: 'level' } } },
      });
      assert.deepEqual(
        found.hits.hits.map((hit: { _source: { message: string } }) => hit._source.message),
        ['order 18 of cart', 'order 15 of cart'],
      );
      assert.deepEqual(found.hits.total, { value: 3, relation: 'eq' });
      assert.deepEqual(found.aggregations.levels.buckets, [{ key: 'error', doc_count: 3 }]);
      const { body } = server.requests.at(-1)!;
      assert.equal(body.track_total_hits, 10_000);
      assert.equal(body.timeout, '60000ms');
    });

    it('asks for no more hits than 50, or 500, and for no more time than there is', async () => {
      assert.equal(
        (await ask(connector, 'search', { index: 'logs-shop' }, { remainingMs: 1500 })).hits.hits.length,
        50,
      );
      assert.equal(server.requests.at(-1)!.body.timeout, '1500ms');
      assert.equal((await ask(connector, 'search', { index: 'logs-shop', size: 500 })).hits.hits.length, 500);
      await assert.rejects(ask(connector, 'search', { index: 'logs-shop', size: 501 }), /500/);
      for (const index of ['..', '.']) await assert.rejects(ask(connector, 'search', { index }), /names or patterns/);
    });

    it('counts, lists, and says how things are', async () => {
      assert.equal(
        (await ask(connector, 'count', { index: 'logs-shop', query: { term: { level: 'error' } } })).count,
        400,
      );
      assert.equal((await ask(connector, 'count', { index: 'logs-shop' })).count, 1200);
      assert.equal((await ask(connector, 'indices', { pattern: 'logs-*' }))[0]['docs.count'], '1200');
      assert.equal((await ask(connector, 'indices'))[0].index, 'logs-shop');
      assert.equal(
        (await ask(connector, 'mapping', { index: 'logs-shop' }))['logs-shop'].mappings.properties.level.type,
        'keyword',
      );
      assert.equal((await ask(connector, 'cluster_health')).status, 'yellow');
    });

    for (const [name, search] of Object.entries({
      'a script query': { query: { bool: { filter: [{ script: { script: 'while(true){}' } }] } } },
      'a script score': { query: { script_score: { query: { match_all: {} } } } },
      'a function': { query: { function_score: { functions: [{ script_score: {} }] } } },
      'a sort by script': { sort: [{ _script: { type: 'number' } }] },
      'a sort by script, in short': { sort: ['_script:asc'] },
      'a scripted metric': { aggregations: { a: { scripted_metric: {} } } },
      'a bucket script': { aggregations: { a: { bucket_script: {} } } },
      'a script in an aggregation': { aggregations: { a: { terms: { script: '1' } } } },
      'script fields in top hits': { aggregations: { a: { top_hits: { script_fields: {} } } } },
      'a wrapped query': { query: { wrapper: { query: 'eyJ9' } } },
    }))
      it(`refuses ${name}`, async () => {
        const before = server.requests.length;
        await refused(
          ask(connector, 'search', { index: 'logs-shop', ...search }),
          'bad_request',
          /Scripts are not allowed/,
        );
        assert.equal(server.requests.length, before);
      });

    it('a field may be called after scripts', async () => {
      const query = { term: { transcript: 'script' } };
      assert.equal((await ask(connector, 'count', { index: 'logs-shop', query })).count, 0);
    });

    for (const index of ['_security', '../_cluster/settings', 'a/_delete_by_query', '_all/_doc', 'logs?x', ' ', 'a b'])
      it(`an index is not called ${index}`, () =>
        assert.rejects(ask(connector, 'mapping', { index }), /names or patterns/));

    it('passes on what the server says', async () => {
      await refused(
        ask(connector, 'search', { index: 'nothing' }),
        'not_found',
        /index_not_found_exception: no such index \[nothing\] \(status 404\)/,
      );
      await refused(
        ask(connector, 'search', { index: 'logs-shop', query: { fuzy: {} } }),
        'bad_request',
        /unknown query \[fuzy\]/,
      );
    });

    it('stops a result that is too large, and continues', async () => {
      await refused(
        ask(connector, 'search', { index: 'logs-shop', size: 500 }, { maxBytes: 20_000 }),
        'too_large',
        /20000 bytes/,
      );
      assert.equal((await ask(connector, 'count', { index: 'logs-shop' }, { maxBytes: 20_000 })).count, 1200);
    });

    it('hangs up once nobody is waiting', async () => {
      const gone = new AbortController();
      const before = server.requests.length;
      const asking = refused(
        ask(connector, 'count', { index: 'logs-shop', query: { term: { a: 'hang' } } }, { signal: gone.signal }),
        'timeout',
        /stopped/,
      );
      const until = (what: string, holds: () => boolean) =>
        waitUntil(() => holds() || undefined, { what, intervalMs: 5 });
      await until('the request', () => server.requests.length > before);
      gone.abort();
      await asking;
      await until('the end of the connection', () => server.abandoned() === 1);
      await refused(
        ask(connector, 'count', { index: 'logs-shop' }, { signal: AbortSignal.abort() }),
        'timeout',
        /stopped/,
      );
    });

    it('waits no longer than its timeout', async () => {
      const brief = connect({ timeout_seconds: 0.1 });
      await refused(
        ask(brief, 'count', { index: 'logs-shop', query: { term: { a: 'hang' } } }),
        'timeout',
        /No answer from/,
      );
    });

    it('checks that the server is up and accepts the user', async () => {
      const signal = new AbortController().signal;
      await connector.check(signal);
      await assert.rejects(connect({ password: 'wrong' }).check(signal), /unable to authenticate.*status 401/);
      await assert.rejects(
        connect({ url: `http://127.0.0.1:${await freePort()}` }).check(signal),
        /No answer from .*ECONNREFUSED/,
      );
    });

    if (vendor === 'elasticsearch') {
      it('takes an API key', () =>
        connect({ username: undefined, password: undefined, api_key: 'key' }).check(new AbortController().signal));

      it('takes nothing else for Elasticsearch', async () => {
        const other = await startSearchServer('opensearch', []);
        await assert.rejects(connect({ url: other.url }).check(new AbortController().signal), /not Elasticsearch/);
        await other.stop();
      });
    }
  });
}
