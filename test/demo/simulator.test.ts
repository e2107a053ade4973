import assert from 'node:assert/strict';
import { meanUpTo, mixtureQuantile, normalCdf, shareAbove, varianceUpTo } from '../../demo/simulator/latency.ts';
import type { Scenario } from '../../demo/simulator/model.ts';
import { createRandom } from '../../demo/simulator/random.ts';
import { shop } from '../../demo/simulator/shop.ts';
import { simulate } from '../../demo/simulator/simulate.ts';
import type { StepState } from '../../demo/simulator/state.ts';

const near = (actual: number, expected: number, tolerance: number) =>
  assert.ok(Math.abs(actual - expected) <= tolerance, `${actual} is not within ${tolerance} of ${expected}`);

const scenario = (effects: Scenario['effects']): Scenario => ({
  id: 'test',
  title: 'test',
  seed: 5,
  start: Date.parse('2026-01-01T12:00:00Z') / 1000,
  durationSeconds: 1800,
  onset: 0,
  effects,
  changes: [],
  logs: [],
  truth: { rootCause: { service: '', fault: '' }, explanation: '', misleading: [] },
});

describe('simulator', () => {
  describe('latency distributions', () => {
    it('agree with the normal distribution', () => {
      near(normalCdf(0), 0.5, 1e-7);
      near(normalCdf(1.959964), 0.975, 1e-6);
      near(normalCdf(-1.644854), 0.05, 1e-6);
    });

    it('agree with samples', () => {
      const random = createRandom(1, 'latency');
      const latency = { median: 80, sigma: 0.6 };
      const samples = Array.from({ length: 200_000 }, () => Math.min(150, 80 * Math.exp(0.6 * random.normal())));
      const mean = samples.reduce((sum, x) => sum + x, 0) / samples.length;
      const variance = samples.reduce((sum, x) => sum + (x - mean) ** 2, 0) / samples.length;
      near(meanUpTo(latency, 150), mean, 0.3);
      near(varianceUpTo(latency, 150), variance, variance * 0.02);
      near(shareAbove(latency, 149.999), samples.filter((x) => x >= 149.999).length / samples.length, 0.004);
    });

    it('mix', () => {
      const parts = [
        { weight: 9, latency: { median: 10, sigma: 0.1 } },
        { weight: 1, latency: { median: 1000, sigma: 0.1 } },
      ];
      near(mixtureQuantile(parts, 0.5), 10, 1);
      near(mixtureQuantile(parts, 0.95), 1000, 20);
    });
  });

  describe('dynamics', () => {
    const last = (steps: StepState[], service: string) => steps.at(-1)!.services.get(service)!;
    const latencyOf = (steps: StepState[], service: string) => last(steps, service).routes[0]!.latency.median;
    const healthy = simulate(
      shop,
      scenario(() => ({})),
      30,
    );

    it('repeats itself for the same seed and differs for another', () => {
      assert.deepEqual(
        simulate(
          shop,
          scenario(() => ({})),
          30,
        ),
        healthy,
      );
      assert.notDeepEqual(simulate(shop, { ...scenario(() => ({})), seed: 6 }, 30), healthy);
    });

    it('is healthy without a fault', () => {
      for (const { services } of healthy) {
        for (const [name, state] of services) {
          for (const route of state.routes)
            assert.ok(route.errorRatio < 0.02, `${name} ${route.name}: ${route.errorRatio}`);
          assert.equal(state.restarts, 0);
        }
      }
    });

    it('carries delay from callees to callers and not the other way', () => {
      const slow = simulate(
        shop,
        scenario(() => ({ fraud: { slowdown: 10 } })),
        30,
      );
      for (const caller of ['payment', 'checkout']) {
        assert.ok(latencyOf(slow, caller) > latencyOf(healthy, caller) + 300, caller);
      }
      for (const other of ['acquirer', 'inventory', 'postgres-orders', 'redis-cart']) {
        near(latencyOf(slow, other), latencyOf(healthy, other), latencyOf(healthy, other) * 0.01);
      }
    });

    it('carries failures to callers, except where they can do without', () => {
      const failing = simulate(
        shop,
        scenario(() => ({ recommendation: { errorRatio: 1 } })),
        30,
      );
      const product = last(failing, 'web').routes.find(({ name }) => name === 'GET /product/:id')!;
      assert.ok(product.errorRatio < 0.01);
      const noCart = simulate(
        shop,
        scenario(() => ({ cart: { errorRatio: 1 } })),
        30,
      );
      assert.ok(last(noCart, 'checkout').routes[0]!.errorRatio > 0.99);
      assert.ok(last(noCart, 'payment').requestsPerSecond < 0.01, 'what comes after a failed call is not called');
      // Two retries of gateway make up for the requests of its own that fail.
      assert.ok(last(noCart, 'cart').requestsPerSecond > 2 * last(healthy, 'cart').requestsPerSecond);
    });

    it('lets a pool run full when connections are held for longer', () => {
      const held = simulate(
        shop,
        scenario(() => ({ inventory: { connectionHold: 500 } })),
        30,
      );
      const pool = last(held, 'inventory').pool!;
      assert.equal(pool.inUse, pool.size);
      assert.ok(pool.waitMs > 1000 && pool.rejected > 0.3);
      assert.ok(last(held, 'postgres-inventory').cpuUtilization <= last(healthy, 'postgres-inventory').cpuUtilization);
    });

    it('kills replicas that leak, and they come back', () => {
      const leaking = simulate(
        shop,
        scenario(() => ({ cart: { leakMb: 0.5 } })),
        30,
      );
      assert.ok(last(leaking, 'cart').restarts >= 3);
      assert.ok(leaking.some(({ services }) => services.get('cart')!.replicasAvailable < 3));
      assert.ok(leaking.some(({ services }, i) => i > 5 && services.get('cart')!.replicasAvailable === 3));
    });
  });
});
