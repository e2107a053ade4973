import assert from 'node:assert/strict';
import { tempo, type Connector } from '@casebook/connectors';
import { startTempo, type TestTempo } from '../../support/tempo.ts';
import { ask, check, checkOthers, connect, failing, timeIsOver } from './connect.ts';

const trace = {
  batches: [
    {
      resource: { attributes: [{ key: 'service.name', value: { stringValue: 'web' } }] },
      scopeSpans: [{ spans: [{ traceId: 'oQ==', spanId: 'AQ==', name: 'GET /cart', kind: 'SPAN_KIND_SERVER' }] }],
    },
  ],
};

/** Against a server that plays Tempo by its documentation: see there for what has not been tried. */
describe('satellite: Tempo', () => {
  let server: TestTempo;
  let connector: Connector;
  const [first, second] = ['a1'.repeat(16), 'b2'];

  before(async () => {
    server = await startTempo({ [first]: trace, [second]: trace });
    connector = connect(tempo, { url: server.url });
  });
  after(async () => {
    await connector?.close();
    await server?.stop();
  });

  const search = async (parameters: Record<string, unknown>) => {
    const answer = await ask(connector, 'search', { start: 1_700_000_000.4, end: 1_700_000_600.2, ...parameters });
    return (answer as { traces: { traceID: string }[] }).traces.map(({ traceID }) => traceID);
  };

  it('is healthy, and distinguished from other systems', async () => {
    await check(connector);
    await checkOthers(tempo, server.url);
  });

  it('searches by TraceQL, in whole seconds that hold the range', async () => {
    const query = '{ resource.service.name = "web" && duration > 200ms }';
    assert.deepEqual(await search({ query }), [first, second]);
    assert.deepEqual(server.searches.at(-1), { q: query, start: '1700000000', end: '1700000601' });
    assert.deepEqual(await search({ query, limit: 1 }), [first]);
  });

  it('searches by tags and duration', async () => {
    const tags = { 'service.name': 'web', 'db.statement': 'select "x" from t', path: '/a=b' };
    await search({ tags, min_duration_ms: 0.5, limit: 5 });
    assert.deepEqual(server.searches.at(-1), {
      tags: String.raw`service.name=web db.statement="select \"x\" from t" path="/a=b"`,
      minDuration: '500us',
      start: '1700000000',
      end: '1700000601',
      limit: '5',
    });
  });

  it('gives a whole trace', async () => {
    assert.deepEqual(await ask(connector, 'trace', { trace_id: second }), trace);
  });

  it('passes on what Tempo says, and keeps limits', async () => {
    await assert.rejects(
      search({ query: '{ .a = 1' }),
      failing('bad_request', /400: invalid TraceQL query: parse error/),
    );
    const missing = ask(connector, 'trace', { trace_id: 'ff' });
    await assert.rejects(missing, failing('not_found', /404: trace not found$/));
    await assert.rejects(
      search({ query: '{}', min_duration_ms: 5 }),
      failing('bad_request', /write tags and duration/),
    );
    await assert.rejects(search({ end: 1 }), failing('bad_request', /end is before start/));
    await assert.rejects(search({ query: '{}', limit: 501 }), /500/);
    await assert.rejects(ask(connector, 'trace', { trace_id: '../echo' }), /hexadecimal/);
    const whole = { trace_id: first };
    await assert.rejects(ask(connector, 'trace', whole, { maxBytes: 50 }), failing('too_large', /50 bytes/));
    await assert.rejects(ask(connector, 'trace', whole, { signal: timeIsOver() }), failing('timeout', /in time/));
  });
});
