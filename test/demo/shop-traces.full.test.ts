import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { jaeger } from '@casebook/connectors';
import { jaegerProcess } from '../../demo/servers/jaeger.ts';
import { injectFault, shopAddresses, shopProcesses, type ShopAddresses } from '../../demo/shop/processes.ts';
import { silentLog } from '../../src/embedded/log.ts';
import { createSupervisor, type Supervisor } from '../../src/embedded/supervisor.ts';
import { createTraceSource, type Span, type TelemetrySource } from '../../src/features/sources/index.ts';
import { overHttp } from '../../src/features/sources/transport.ts';
import { findJaegerBinary } from '../support/jaeger.ts';
import { waitUntil } from '../support/wait-until.ts';

const call = () => ({ signal: new AbortController().signal });

describe('traces of the live shop', function () {
  // Building Jaeger, where there is none, takes minutes, once.
  this.timeout(45 * 60_000);
  const home = mkdtempSync(join(tmpdir(), 'casebook-shop-traces-'));
  let supervisor: Supervisor;
  let addresses: ShopAddresses;
  let source: TelemetrySource;

  before(async () => {
    const binary = await findJaegerBinary();
    supervisor = createSupervisor({ home, log: silentLog });
    const { spec, url, otlpUrl } = await jaegerProcess({ binary, home, port: 0 });
    await supervisor.start(spec);
    addresses = await shopAddresses();
    await Promise.all(shopProcesses({ home, addresses, otlpUrl }).map((child) => supervisor.start(child)));
    source = createTraceSource({ kind: 'jaeger', transport: overHttp(jaeger, url) });
  });
  after(async () => {
    await supervisor?.stop();
    rmSync(home, { recursive: true, force: true });
  });

  /** A trace that matches, once there is one with spans of all these services. */
  const traceOf = (services: string[], filter: object): Promise<Span[]> =>
    waitUntil(
      async () => {
        const now = Date.now() / 1000;
        const query = { from: now - 600, to: now + 1, limit: 20, ...filter };
        const { traces } = await source.searchTraces!(query, call());
        for (const { traceId } of traces) {
          const spans = (await source.getTrace!(traceId, call())) ?? [];
          const known = new Set(spans.map(({ service }) => service));
          if (services.every((service) => known.has(service))) return spans;
        }
        return undefined;
      },
      { what: `a trace through ${services.join(', ')}` },
    );

  it('follow a purchase through the services, each call with both of its sides', async () => {
    const spans = await traceOf(['storefront', 'checkout', 'payments', 'orders', 'inventory'], {
      service: 'storefront',
      operation: 'POST /buy',
    });
    const byId = new Map(spans.map((span) => [span.spanId, span]));
    const roots = spans.filter(({ parentId }) => parentId === undefined);
    assert.deepEqual(
      roots.map(({ service, operation, kind }) => [service, operation, kind]),
      [['storefront', 'POST /buy', 'server']],
    );
    for (const span of spans) {
      if (span.parentId === undefined) continue;
      const parent = byId.get(span.parentId);
      assert.ok(parent, `${span.service} ${span.operation} has a parent`);
      assert.equal(parent.kind, span.kind === 'server' ? 'client' : 'server');
      assert.equal(parent.service === span.service, span.kind === 'client');
    }
    assert.ok(spans.some(({ operation, kind }) => kind === 'client' && /^(SELECT|INSERT|UPDATE) /.test(operation)));
  });

  it('show where a request fails', async () => {
    await injectFault(addresses, 'payments', 'bad-configuration');
    const spans = await traceOf(['storefront', 'checkout', 'payments'], { service: 'payments', status: 'error' });
    const failed = spans.filter(({ status }) => status === 'error').map(({ service }) => service);
    assert.ok(
      ['storefront', 'checkout', 'payments'].every((service) => failed.includes(service)),
      failed.join(),
    );
  });
});
