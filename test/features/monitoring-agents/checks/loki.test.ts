import assert from 'node:assert/strict';
import { waitUntil } from '../../../support/wait-until.ts';
import { loki as lokiKind } from '@casebook/connectors';
import { createLokiSource, type TelemetrySource } from '../../../../src/features/sources/index.ts';
import { overHttp } from '../../../../src/features/sources/transport.ts';
import { startLoki, type TestLoki } from '../../../support/loki.ts';
import { check } from './support.ts';

describe('checks on a real Loki', () => {
  let loki: TestLoki;
  let source: TelemetrySource;
  const now = Math.floor(Date.now() / 1_000);
  const run = (more: object) => check({ type: 'log_pattern', source: 'loki', ...more }, { sources: [source], now });
  const count = (at_least: number, more: object = {}) => run({ condition: { type: 'count', at_least }, ...more });

  before(async function () {
    // Building Loki, where there is none, takes minutes, once.
    this.timeout(45 * 60_000);
    loki = await startLoki();
    source = createLokiSource({ transport: overHttp(lokiKind, loki.url) });
    const every = (step: number, lines: number, line: (index: number) => string) =>
      Array.from({ length: lines }, (_, index) => ({ at: now - 1 - index * step, line: line(index) })).toReversed();
    await loki.push(
      { service_name: 'web' },
      every(0.03, 9_000, (i) => `GET /item/${i} ${i % 3 === 0 ? 500 : 200}`),
    );
    await loki.push(
      { service_name: 'payment', level: 'info' },
      every(10, 380, (i) => `order ${i} paid`),
    );
    await loki.push({ service_name: 'payment', level: 'error' }, [
      { at: now - 40, line: 'Timeout after 250 ms at (acquirer) [a.b]' },
      { at: now - 30, line: 'Timeout after 251 ms at (acquirer) [a.b]' },
      { at: now - 20, line: 'Timeout after 252 ms at (acquirer) [a.b]' },
    ]);
    await waitUntil(
      async () => {
        const { lines } = await source.searchLogs!(
          { from: now - 100, to: now, text: 'GET /item/1 ', limit: 10 },
          { signal: AbortSignal.timeout(10_000) },
        );
        return lines.length > 0 ? true : undefined;
      },
      { what: 'the pushed lines' },
    );
  });

  after(() => loki?.stop());

  it('counts with wildcards, in any case, and with what LogQL takes for special', async () => {
    const found = await count(3, { pattern: 'TIMEout*(ACQUIRER) [a.b]', level: 'error', service: 'payment' });
    assert.equal(found.status, 'finding', found.summary);
    assert.equal(found.observations[0]!.value, 3);
    assert.equal((await count(4, { pattern: 'timeout*acquirer' })).status, 'ok');
  });

  it('counts past what Loki gives at once', async () => {
    const all = await count(9_001, { pattern: 'GET /item', service: 'web' });
    assert.deepEqual([all.status, all.observations[0]!.value], ['ok', 9_000], all.summary);
    const some = await count(3_001, { pattern: 'GET * 500', service: 'web' });
    assert.deepEqual([some.status, some.observations[0]!.value], ['ok', 3_000], some.summary);
  });

  it('finds the new kind of line among the usual ones', async () => {
    const result = await run({ service: 'payment', condition: { type: 'new_pattern', history_seconds: 3_000 } });
    assert.equal(result.status, 'finding', result.summary);
    assert.equal(result.observations.filter(({ isFinding }) => isFinding).length, 1);
    assert.match(result.observations[0]!.text, /3 lines of payment: Timeout after <\*> ms at \(acquirer\)/);
  });

  it('does not take silence for health', async () => {
    const result = await count(1, { service: 'paymnet' });
    assert.equal(result.status, 'failed');
    assert.match(result.summary, /no log lines of paymnet in the last 1 h; services are: payment/);
  });
});
