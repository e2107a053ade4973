import assert from 'node:assert/strict';
import type { GraphMessage } from '@casebook/wire';
import type { ObservedEdge } from '@casebook/connectors';
import { createGraphFeed, graphConfig } from '../../../satellite/graph/index.ts';
import { createLog } from '../../../satellite/log.ts';
import { callOut, instrument, serve, type InstrumentedService } from './instrumented.ts';
import { ReceivingEnd } from './receiving-end.ts';

const log = createLog('silent');
/** As the YAML file gives it, but for an interval that no person would want to wait for. */
const configured = (given: object = {}) => ({ ...graphConfig.parse(given), interval_seconds: 0.01 });
const edge = (caller: string, callee: string, callsPerSecond = 1): ObservedEdge => ({
  caller,
  callee,
  source: 'service-graph',
  callsPerSecond,
});

/** A connection that can be waited on. */
class Connection {
  readonly end = new ReceivingEnd();
  #waiters: (() => void)[] = [];

  readonly send = async (message: GraphMessage): Promise<void> => {
    this.end.take(message);
    for (const waiter of this.#waiters.splice(0)) waiter();
    await Promise.resolve();
  };

  async until(condition: (end: ReceivingEnd) => boolean): Promise<ReceivingEnd> {
    while (!condition(this.end)) await new Promise<void>((resolve) => void this.#waiters.push(resolve));
    return this.end;
  }
}

describe('satellite graph feed: connectors', () => {
  let closing: (() => Promise<void>) | undefined;
  afterEach(async () => {
    await closing?.();
    closing = undefined;
  });
  const open = async (...args: Parameters<typeof createGraphFeed>): ReturnType<typeof createGraphFeed> => {
    const feed = await createGraphFeed(...args);
    closing = () => feed.close();
    return feed;
  };

  it('sends a snapshot of what the first round found, then a delta in each interval', async () => {
    let edges = [edge('web', 'cart')];
    const windows = new Set<number>();
    const connector = {
      id: 'prom',
      edges: async (windowSeconds: number) => {
        windows.add(windowSeconds);
        return edges;
      },
    };
    const feed = await open(configured(), { connectors: [connector, { id: 'loki' }], log });
    const connection = new Connection();
    feed.attach(connection.send);
    await connection.until(({ snapshots }) => snapshots === 1);
    assert.deepEqual([...connection.end.graph.keys()], ['web>cart']);
    edges = [...edges, edge('cart', 'db')];
    await connection.until(({ graph }) => graph.has('cart>db'));
    const { deltas } = connection.end;
    await connection.until((end) => end.deltas >= deltas + 3);
    assert.equal(connection.end.snapshots, 1);
    assert.deepEqual([...windows], [300]);
  });

  it('a connector that fails or hangs holds up no other; its edges grow stale, go, and come back', async () => {
    let now = 0;
    let failing = false;
    const connectors = [
      {
        id: 'failing',
        edges: async () => {
          if (failing) throw new Error('connection refused');
          return [edge('web', 'cart')];
        },
      },
      { id: 'hanging', edges: async () => new Promise<never>(() => {}) },
      { id: 'well', edges: async () => [edge('web', 'pay')] },
    ];
    const feed = await open(configured(), { connectors, log, now: () => now });
    const connection = new Connection();
    feed.attach(connection.send);
    await connection.until(({ graph }) => graph.size === 2);
    failing = true;
    const { deltas } = connection.end;
    // An answer that was under way is taken by then.
    await connection.until((end) => end.deltas > deltas + 2);
    now = 120_000;
    await connection.until(({ graph }) => graph.get('web>cart')?.stale === true);
    assert.equal(connection.end.edge('web', 'pay').stale, false);
    now = 900_000;
    await connection.until(({ graph }) => !graph.has('web>cart'));
    failing = false;
    await connection.until(({ graph }) => graph.get('web>cart')?.stale === false);
    assert.equal(connection.end.snapshots, 1);
  });

  it('begins again with a snapshot after a lost connection, a failed send, and when asked', async () => {
    const feed = await open(configured(), {
      connectors: [{ id: 'prom', edges: async () => [edge('web', 'cart')] }],
      log,
    });
    const first = new Connection();
    feed.attach(first.send);
    await first.until(({ deltas }) => deltas > 0);
    feed.snapshotWanted();
    await first.until(({ snapshots }) => snapshots === 2);
    feed.detach();

    const broken = Promise.withResolvers<void>();
    feed.attach(async () => {
      broken.resolve();
      throw new Error('gone');
    });
    await broken.promise;
    const stuck = Promise.withResolvers<void>();
    feed.attach(async () => {
      stuck.resolve();
      return new Promise<never>(() => {});
    });
    await stuck.promise;
    const last = new Connection();
    feed.attach(last.send);
    await last.until(({ deltas }) => deltas > 1);
    assert.equal(last.end.snapshots, 1);
    assert.ok(last.end.graph.has('web>cart'));
    const { deltas } = first.end;
    await last.until((end) => end.deltas > 4);
    assert.equal(first.end.deltas, deltas, 'nothing is sent on a connection that was taken away');
  });

  it('an empty graph, and one that is switched off, are sent as an empty snapshot', async () => {
    for (const enabled of [true, false]) {
      const connectors = enabled ? [] : [{ id: 'prom', edges: async () => [edge('web', 'cart')] }];
      const feed = await open(configured({ enabled, otlp: { enabled: !enabled, port: 0 } }), { connectors, log });
      assert.equal(feed.otlpUrl, undefined);
      const connection = new Connection();
      feed.attach(connection.send);
      await connection.until(({ deltas }) => deltas > 0);
      assert.deepEqual([connection.end.snapshots, connection.end.graph.size], [1, 0]);
      await feed.close();
    }
  });
});

describe('satellite graph feed: spans of the OpenTelemetry SDK', () => {
  for (const encoding of ['json', 'protobuf'] as const) {
    for (const compression of ['gzip', 'none'] as const) {
      it(`counts calls, failures and durations from ${encoding}, ${compression}`, async () => {
        let now = 5_000;
        const config = configured({ otlp: { enabled: true, port: 0, token: 'secret' } });
        const feed = await createGraphFeed(config, { connectors: [], log, now: () => now });
        const services: InstrumentedService[] = [];
        try {
          const connection = new Connection();
          feed.attach(connection.send);
          await connection.until(({ snapshots }) => snapshots === 1);
          const service = (name: string): InstrumentedService => {
            const made = instrument(name, feed.otlpUrl ?? '', { encoding, compression, token: 'secret' });
            services.push(made);
            return made;
          };
          const [web, cart, pay] = [service('web'), service('cart'), service('pay')];
          for (let call = 0; call < 100; call += 1) {
            // The clock of cart is an hour behind.
            const startMs = Date.now() - 3_600_000;
            const inCart = serve(cart, callOut(web, { ms: 100 }), { ms: 50, startMs });
            callOut(cart, {
              parent: inCart,
              ms: 8,
              attributes: { 'db.system.name': 'postgresql', 'db.namespace': 'carts' },
            });
            if (call % 2 === 0) serve(pay, callOut(cart, { parent: inCart, ms: 40 }), { failed: call % 20 === 0 });
            callOut(pay, { attributes: { 'server.address': 'api.bank.example' } });
          }
          // cart first: its spans wait for those of web.
          for (const { provider } of [cart, pay, web]) await provider.forceFlush();
          now = 20_000;
          await connection.until(({ graph }) => graph.size === 4);
          const { end } = connection;
          const figures = (caller: string, callee: string) => {
            const { callsPerSecond, errorRatio, p50Seconds, sources, stale } = end.edge(caller, callee);
            return { callsPerSecond, errorRatio, sources, stale, ms: Math.round((p50Seconds ?? 0) * 100) * 10 };
          };
          const common = { sources: ['spans'], stale: false };
          // In the 15 s since the start.
          assert.deepEqual(figures('web', 'cart'), { ...common, callsPerSecond: 6.667, errorRatio: 0, ms: 100 });
          assert.deepEqual(figures('cart', 'pay'), { ...common, callsPerSecond: 3.333, errorRatio: 0.1, ms: 40 });
          assert.deepEqual(figures('cart', 'postgresql/carts'), {
            ...common,
            callsPerSecond: 6.667,
            errorRatio: 0,
            ms: 10,
          });
          assert.equal(figures('pay', 'api.bank.example').callsPerSecond, 6.667);

          now = 5_000 + 121_000;
          await connection.until(({ graph }) => graph.get('web>cart')?.stale === true);
          now = 5_000 + 901_000;
          await connection.until(({ graph }) => !graph.has('web>cart'));
        } finally {
          await Promise.all(services.map(({ provider }) => provider.shutdown()));
          await feed.close();
        }
      });
    }
  }
});
