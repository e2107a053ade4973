import assert from 'node:assert/strict';
import { localTransport, loki, type Connector } from '@casebook/connectors';
import { waitUntil } from '../../support/wait-until.ts';
import { createLokiSource } from '../../../src/features/sources/index.ts';
import { startLoki, type TestLoki } from '../../support/loki.ts';
import { ask, check, checkOthers, connect, failing, timeIsOver } from './connect.ts';

interface Streams {
  resultType: 'streams';
  result: { stream: Record<string, string>; values: [string, string][] }[];
}

describe('satellite: Loki', () => {
  let server: TestLoki;
  let connector: Connector;
  const now = Math.floor(Date.now() / 1000);
  const range = { start: now - 600, end: now };

  before(async function () {
    // Building Loki, where there is none, takes minutes, once.
    this.timeout(45 * 60_000);
    server = await startLoki();
    connector = connect(loki, { url: server.url });
    await server.push({ service_name: 'cart', level: 'error' }, [
      { at: now - 300.25, line: 'redis: connection reset' },
      { at: now - 200, line: 'redis: connection refused' },
      { at: now, line: 'after the range' },
    ]);
    await server.push({ service_name: 'web', level: 'info' }, [{ at: now - 100, line: 'GET /cart' }]);
    await waitUntil(async () => ((await lines('{service_name=~".+"}')).length === 3 ? true : undefined), {
      what: 'the pushed lines',
    });
  });
  after(async () => {
    await connector?.close();
    await server?.stop();
  });

  const lines = async (query: string, more: Record<string, unknown> = {}) => {
    const { result } = (await ask(connector, 'query_range', { query, ...range, ...more })) as Streams;
    return result.flatMap(({ values }) => values.map(([, line]) => line));
  };

  it('is healthy, and distinguished from other systems', async () => {
    await check(connector);
    await checkOthers(loki, server.url);
  });

  it('gives streams of lines in a half-open range of time', async () => {
    assert.deepEqual(await ask(connector, 'query_range', { query: '{service_name="web"}', ...range }).then(streamsOf), [
      {
        stream: { service_name: 'web', level: 'info', detected_level: 'info' },
        values: [[`${now - 100}000000000`, 'GET /cart']],
      },
    ]);
    const cart = '{service_name="cart"}';
    assert.deepEqual(await lines(cart), ['redis: connection refused', 'redis: connection reset']);
    assert.deepEqual(await lines(cart, { direction: 'forward', limit: 1 }), ['redis: connection reset']);
    assert.deepEqual(await lines(cart, { start: now - 300.25, end: now - 200 }), ['redis: connection reset']);
    assert.deepEqual(await lines(cart, { start: now - 300.249 }), ['redis: connection refused']);
  });

  it('evaluates metric queries, and those that are too long for an address', async () => {
    const query = 'sum by (service_name) (count_over_time({level="error"}[10m]))';
    assert.deepEqual(await ask(connector, 'query', { query, time: now - 1 }).then(vectorOf), [
      { metric: { service_name: 'cart' }, value: [now - 1, '2'] },
    ]);
    const long = `{service_name="cart"} |~ "(${'never|'.repeat(2_000)}refused)"`;
    assert.deepEqual(await lines(long), ['redis: connection refused']);
  });

  it('knows labels, their values, and streams', async () => {
    assert.deepEqual(await ask(connector, 'labels', range), ['level', 'service_name']);
    assert.deepEqual(await ask(connector, 'label_values', { label: 'service_name', ...range }), ['cart', 'web']);
    const some = { label: 'service_name', query: '{level="error"}', ...range };
    assert.deepEqual(await ask(connector, 'label_values', some), ['cart']);
    assert.deepEqual(await ask(connector, 'series', { match: ['{level="info"}'], ...range }), [
      { level: 'info', service_name: 'web' },
    ]);
    // Loki leaves out the data where it has none.
    assert.equal(await ask(connector, 'labels', { start: now - 200_000, end: now - 100_000 }), null);
  });

  it('gives a telemetry source all that it asks for', async () => {
    const source = createLokiSource({
      transport: localTransport(connector, 'satellite'),
    });
    const options = { signal: new AbortController().signal };
    assert.deepEqual(
      (await source.services!(options)).map(({ name }) => name),
      ['cart', 'web'],
    );
    const query = { from: range.start, to: range.end, service: 'cart', level: 'error' as const, limit: 10 };
    const page = await source.searchLogs!({ ...query, text: 'REFUSED' }, options);
    assert.deepEqual(
      page.lines.map(({ at, message }) => [at, message]),
      [[now - 200, 'redis: connection refused']],
    );
  });

  it('passes on what Loki says, and keeps limits', async () => {
    await assert.rejects(lines('{service_name='), failing('bad_request', /Loki at .* 400: parse error .*unexpected/));
    await assert.rejects(lines('{service_name="cart"}', { limit: 5_001 }), /5000/);
    await lines('{service_name="cart"}', { limit: 5_000 });
    await assert.rejects(
      ask(connector, 'query_range', { query: '{service_name="cart"}', ...range }, { maxBytes: 100 }),
      failing('too_large', /lower limit/),
    );
    await assert.rejects(ask(connector, 'labels', range, { signal: timeIsOver() }), failing('timeout', /in time/));
    await assert.rejects(ask(connector, 'label_values', { label: '..' }), /not a valid label name/);
  });
});

const streamsOf = (data: unknown) => (data as Streams).result;
const vectorOf = (data: unknown) => (data as { result: unknown[] }).result;
